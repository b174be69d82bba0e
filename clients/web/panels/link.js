/** The link to a game: whoever has it may watch it, and go on with it unless it is locked. */

import { h } from "../dom.js";
import { openPanel } from "./dialog.js";

/** @param {string} id */
export function linkTo(id) {
  const url = new URL(location.href);
  url.hash = `game=${id}`;
  return url.href;
}

/** What the link is good for. @param {boolean} locked */
export function mayDo(locked) {
  return locked ? "Whoever has it may watch the game." : "Whoever has it may watch the game and go on with it.";
}

/**
 * Copy the link; where the browser will not, show it. Whether it was copied.
 * @param {string} id
 * @param {boolean} locked  so that it can only be watched
 */
export async function copyLink(id, locked) {
  const link = linkTo(id);
  try {
    await navigator.clipboard.writeText(link);
    return true;
  } catch {
    const field = h("input", { readonly: true, value: link, "aria-label": "The link", class: "whole" });
    openPanel("The link to this game", "share", () => [
      h("p", {}, mayDo(locked)), field,
    ]);
    field.select();
    return false;
  }
}
