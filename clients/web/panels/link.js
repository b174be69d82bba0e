/** The link to a game. Anyone who has it can watch the game, and continue it unless it is locked. */

import { h } from "../dom.js";
import { openPanel } from "./dialog.js";

/** @param {string} id */
export function linkTo(id) {
  const url = new URL(location.href);
  url.hash = `game=${id}`;
  return url.href;
}

/** @param {boolean} locked */
export function linkPermission(locked) {
  return locked ? "Anyone with the link can watch the game." : "Anyone with the link can watch the game and continue it.";
}

/**
 * Copy the link, or show it if the browser does not allow copying. Returns whether it was copied.
 * @param {string} id
 * @param {boolean} locked
 */
export async function copyLink(id, locked) {
  const link = linkTo(id);
  try {
    await navigator.clipboard.writeText(link);
    return true;
  } catch {
    const field = h("input", { readonly: true, value: link, "aria-label": "The link", class: "whole" });
    openPanel("The link to this game", "share", () => [
      h("p", {}, linkPermission(locked)), field,
    ]);
    field.select();
    return false;
  }
}
