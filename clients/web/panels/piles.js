/** The contents of the piles: the discard, and the known cards of the dungeon. */

import { face } from "../cards.js";
import { h } from "../dom.js";
import { describe, kindOf } from "../names.js";
import { openPanel } from "./dialog.js";

/** @typedef {import("../api.js").Game} Game */

/** @param {Game} game */
export function showDungeon(game) {
  return openPanel("The dungeon", "piles", () => [
    h("p", {}, `${game.dungeon_size} ${game.dungeon_size === 1 ? "card lies" : "cards lie"} face down.`),
    ...(["monster", "weapon", "potion"]).flatMap((kind) => {
      const these = game.unseen.filter((code) => kindOf(code) === kind);
      return these.length ? [h("h3", {}, `Unseen ${{ monster: "monsters", weapon: "weapons", potion: "potions" }[kind]}: ${these.length}`), cards(these)] : [];
    }),
    ...game.bottom.flatMap((room, i) => [h("h3", {}, i ? "Below it" : "At the bottom: the room you avoided"), cards(room)]),
  ]);
}

/** @param {Game} game */
export function showDiscard(game) {
  return openPanel("The discard", "piles", () =>
    game.discard.length
      ? [h("p", {}, `${game.discard.length} ${game.discard.length === 1 ? "card" : "cards"}, the latest first.`), cards([...game.discard].reverse())]
      : [h("p", {}, "There are no cards here yet.")],
  );
}

/** @param {string[]} codes */
function cards(codes) {
  return h("ul", { class: "cards" }, ...codes.map((code) => h("li", {}, h("span", { class: "lying" }, face(code)), h("span", { class: "unseen" }, describe(code)))));
}
