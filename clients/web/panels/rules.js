/** The rules that are played by, as the server tells them. */

import { h } from "../dom.js";
import { OPTIONS, differing, say } from "../options.js";
import { openPanel } from "./dialog.js";

/** @typedef {import("../api.js").Ruleset} Ruleset */
/** @typedef {import("../api.js").Options} Options */

/** @param {Ruleset} ruleset @param {Options} [options] those of the game, if there is one */
export function showRules(ruleset, options) {
  const different = options ? differing(options, ruleset.options) : [];
  return openPanel(`Rules: ${ruleset.title}`, "rules", () => [
    h("p", { class: "lead" }, ruleset.summary),
    different.length > 0 && options &&
      h("div", { class: "house" },
        h("h3", {}, "What is different in this game"),
        h("dl", {}, ...different.flatMap((name) => [h("dt", {}, OPTIONS[name].label), h("dd", {}, say(name, options[name]))])),
        h("p", { class: "soft" }, "Where the text below says otherwise, this holds.")),
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
