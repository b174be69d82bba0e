/** The link to a game: whoever has it may watch it, and go on with it. */

import { h } from "../dom.js";
import { openPanel } from "./dialog.js";

/** @param {string} id */
export function linkTo(id) {
  const url = new URL(location.href);
  url.hash = `game=${id}`;
  return url.href;
}

/**
 * Copy the link; where the browser will not, show it. Whether it was copied.
 * @param {string} id
 */
export async function copyLink(id) {
  const link = linkTo(id);
  try {
    await navigator.clipboard.writeText(link);
    return true;
  } catch {
    const field = h("input", { readonly: true, value: link, "aria-label": "The link", class: "whole" });
    openPanel("The link to this game", "share", () => [
      h("p", {}, "Whoever has it may watch the game and go on with it."), field,
    ]);
    field.select();
    return false;
  }
}
