/** The keyboard shortcuts. */

import { h } from "../dom.js";
import { KEYS } from "../keys.js";
import { openPanel } from "./dialog.js";

export function showHelp() {
  return openPanel("Keyboard", "keys", () => [
    h("p", {}, "A key works only while its action is possible."),
    h("dl", { class: "keys" }, ...KEYS.map(([, sign, , what]) => h("div", {}, h("dt", {}, h("kbd", {}, sign)), h("dd", {}, what)))),
    h("p", { class: "soft" }, "Fighting, equipping and drinking apply to the selected card."),
  ]);
}
