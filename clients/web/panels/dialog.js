/** A modal panel. Escape or a click outside closes it. */

import { retryReason } from "../api.js";
import { h, put } from "../dom.js";

/** @typedef {Node | string | null | false | undefined} Child */
/** @typedef {(close: () => void) => Child[] | Promise<Child[]>} Fill returns the content; it may close the panel */

let count = 0;

/**
 * @param {string} title
 * @param {string} name  its CSS class
 * @param {Fill} fill
 * @returns {HTMLDialogElement}
 */
export function openPanel(title, name, fill) {
  const id = `panel-${(count += 1)}`;
  const body = h("div", { class: "body", tabindex: 0, role: "region", "aria-labelledby": id });
  /** @type {HTMLDialogElement} */
  const dialog = h(
    "dialog",
    {
      class: `panel ${name}`, "aria-labelledby": id,
      close: () => dialog.remove(),
      click: (/** @type {Event} */ event) => event.target === dialog && dialog.close(),
    },
    h("div", { class: "head" },
      h("h2", { id }, title),
      h("button", { type: "button", class: "close", "aria-label": "Close", click: () => dialog.close() }, "×")),
    body,
  );
  document.body.append(dialog);
  dialog.showModal();
  void load(body, () => fill(() => dialog.close()));
  return dialog;
}

/** @param {HTMLElement} body @param {() => Child[] | Promise<Child[]>} fill */
async function load(body, fill) {
  body.setAttribute("aria-busy", "true");
  try {
    const content = fill();
    if (content instanceof Promise) {
      put(body, h("p", { class: "soft" }, "One moment …"));
    }
    put(body, ...(await content));
  } catch (error) {
    put(
      body,
      h("p", { role: "alert" }, retryReason(error) ? "This cannot be loaded right now." : String(/** @type {Error} */ (error).message ?? error)),
      h("button", { type: "button", class: "quiet", click: () => void load(body, fill) }, "Try again"),
    );
  } finally {
    body.removeAttribute("aria-busy");
  }
}
