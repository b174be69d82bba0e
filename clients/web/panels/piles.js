/** What is known of the piles: the discard, and what must still be in the dungeon. */

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
      return these.length ? [h("h3", {}, `${{ monster: "Monsters", weapon: "Weapons", potion: "Potions" }[kind]} never seen yet: ${these.length}`), cards(these)] : [];
    }),
    ...game.bottom.flatMap((room, i) => [h("h3", {}, i ? "Below it" : "At the bottom, for you avoided it"), cards(room)]),
  ]);
}

/** @param {Game} game */
export function showDiscard(game) {
  return openPanel("The discard", "piles", () =>
    game.discard.length
      ? [h("p", {}, `${game.discard.length} ${game.discard.length === 1 ? "card" : "cards"}, the latest first.`), cards([...game.discard].reverse())]
      : [h("p", {}, "Nothing lies here yet.")],
  );
}

/** @param {string[]} codes */
function cards(codes) {
  return h("ul", { class: "cards" }, ...codes.map((code) => h("li", {}, h("span", { class: "lying" }, face(code)), h("span", { class: "unseen" }, describe(code)))));
}
