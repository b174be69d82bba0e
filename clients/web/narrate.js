/** What happened, in sentences: for the line under the table and for those who listen. */

import { capital, figureOf, nameOf, row, signOf } from "./names.js";

/** @typedef {import("./api.js").GameEvent} GameEvent */
/** @typedef {import("./api.js").Schemas["Terms"]} Terms */

/**
 * @param {GameEvent[]} events
 * @param {Terms} terms
 * @returns {string[]}
 */
export function sentences(events, terms) {
  return events.map((event) => sentence(event, terms)).filter(Boolean);
}

/** @param {GameEvent} event @param {Terms} terms */
function sentence(event, terms) {
  const card = event.card ?? "";
  const who = `the ${figureOf(card)} (${signOf(card)})`;
  const how = event.how === "weapon" ? "with your weapon" : "with your bare hands";
  switch (event.type) {
    case "cards_drawn":
      return `${capital(row((event.cards ?? []).map(nameOf)))} turned up.`;
    case "room_avoided":
      return "You slipped away: the room went under the dungeon.";
    case "turn_began":
      return `Turn ${event.turn}.`;
    case "weapon_equipped":
      return `You took up the ${figureOf(card)} (${signOf(card)}).`;
    case "potion_drunk":
      return event.healed
        ? `You drank ${signOf(card)} and got ${event.healed} ${terms.health} back.`
        : `You drank ${signOf(card)}; it did you no good.`;
    case "potion_wasted":
      return `You emptied ${signOf(card)} in vain: no more potions work this turn.`;
    case "monster_slain":
      return event.damage
        ? `You slew ${who} ${how}. It cost you ${event.damage} ${terms.health}.`
        : `You slew ${who} ${how}, unharmed.`;
    case "died":
      return `${capital(who)} killed you.`;
    case "dungeon_cleared":
      return "You made it through the dungeon!";
    default:
      return ""; // a kind of event that came later than this page
  }
}

/** The table in one sentence, for those who cannot look at it. @param {import("./api.js").Game} game @param {Terms} terms */
export function lie(game, terms) {
  const weapon = game.weapon ? `weapon ${nameOf(game.weapon.card)}` : "no weapon";
  return `${capital(terms.health)} ${game.health} of ${game.max_health}, ${weapon}, ${game.dungeon_size} ${game.dungeon_size === 1 ? "card" : "cards"} in the dungeon.`;
}
