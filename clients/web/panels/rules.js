/** The rules of a ruleset, as the server describes them. */

import { h } from "../dom.js";
import { OPTIONS, differences, valueLabel } from "../options.js";
import { openPanel } from "./dialog.js";

/** @typedef {import("../api.js").Ruleset} Ruleset */
/** @typedef {import("../api.js").Options} Options */

/** @param {Ruleset} ruleset @param {Options} [options]  of the current game */
export function showRules(ruleset, options) {
  const different = options ? differences(options, ruleset.options) : [];
  return openPanel(`Rules: ${ruleset.title}`, "rules", () => [
    h("p", { class: "lead" }, ruleset.summary),
    different.length > 0 && options &&
      h("div", { class: "house" },
        h("h3", {}, "House rules of this game"),
        h("dl", {}, ...different.flatMap((name) => [h("dt", {}, OPTIONS[name].label), h("dd", {}, valueLabel(name, options[name]))])),
        h("p", { class: "soft" }, "These override the text below.")),
    ...ruleset.rules.flatMap(({ heading, paragraphs }) => [
      h("h3", {}, heading),
      ...paragraphs.map((paragraph) => h("p", {}, paragraph)),
    ]),
    ...credits(ruleset),
  ]);
}

/** @param {Ruleset} ruleset */
export function credits(ruleset) {
  return [
    h("h3", {}, "Made by"),
    h("ul", { class: "plain" }, ...ruleset.credits.map(({ name, role }) => h("li", {}, h("b", {}, name), `, ${role}`))),
    ruleset.links.length > 0 &&
      h("ul", { class: "plain" }, ...ruleset.links.map(({ title, url }) =>
        h("li", {}, h("a", { href: url, rel: "noopener noreferrer", target: "_blank" }, title)))),
  ];
}
