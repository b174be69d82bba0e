/** The authors of the game and of its versions. */

import { h } from "../dom.js";
import { openPanel } from "./dialog.js";
import { credits } from "./rules.js";

/** @param {import("../api.js").Ruleset[]} rulesets */
export function showCredits(rulesets) {
  return openPanel("Credits", "credits", () => [
    h("p", { class: "lead" }, "Scoundrel is a game by Zach Gage and Kurt Bieg, published in 2011."),
    h("p", {}, "This page and its server are not affiliated with them, nor with the makers of the versions whose rules can be played here."),
    ...rulesets.flatMap((ruleset) => [
      h("section", {}, h("h3", { class: "version" }, ruleset.title), h("p", { class: "soft" }, ruleset.summary), ...credits(ruleset).slice(1)),
    ]),
    h("h3", { class: "version" }, "This page"),
    h("p", {}, "The cards were drawn for this page. Like the server, it is free software under the MIT licence."),
  ]);
}
