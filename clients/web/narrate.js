/** Events as sentences, for the line under the table and for screen readers. */

import { capital, figureOf, join, nameOf, signOf } from "./names.js";

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
      return `${capital(join((event.cards ?? []).map(nameOf)))} turned up.`;
    case "room_avoided":
      return "You slipped away: the room went to the bottom of the dungeon.";
    case "turn_began":
      return `Turn ${event.turn}.`;
    case "weapon_equipped":
      return `You equipped the ${figureOf(card)} (${signOf(card)}).`;
    case "potion_drunk":
      return event.healed
        ? `You drank ${signOf(card)} and regained ${event.healed} ${terms.health}.`
        : `You drank ${signOf(card)}; it had no effect.`;
    case "potion_wasted":
      return `You wasted ${signOf(card)}: no more potions work this turn.`;
    case "monster_slain":
      return event.damage
        ? `You slew ${who} ${how}. It cost you ${event.damage} ${terms.health}.`
        : `You slew ${who} ${how}, unharmed.`;
    case "died":
      return `${capital(who)} killed you.`;
    case "dungeon_cleared":
      return "You made it through the dungeon!";
    default:
      return ""; // an event type added to the API after this page
  }
}

/** The state of the game in one sentence, for screen readers. @param {import("./api.js").Game} game @param {Terms} terms */
export function situation(game, terms) {
  const weapon = game.weapon ? `weapon ${nameOf(game.weapon.card)}` : "no weapon";
  return `${capital(terms.health)} ${game.health} of ${game.max_health}, ${weapon}, ${game.dungeon_size} ${game.dungeon_size === 1 ? "card" : "cards"} in the dungeon.`;
}
