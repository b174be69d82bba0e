/** The names of the cards. A card's code is its rank and its suit. */

/** @typedef {"monster" | "weapon" | "potion"} Kind */

/** @type {Record<string, Kind>} */
const KINDS = { C: "monster", S: "monster", D: "weapon", H: "potion" };
/** @type {Record<string, string>} */
const SUITS = { C: "clubs", S: "spades", D: "diamonds", H: "hearts" };
/** @type {Record<string, string>} */
const SIGNS = { C: "♣", S: "♠", D: "♦", H: "♥" };
/** @type {Record<string, string>} */
const RANKS = { T: "10", J: "jack", Q: "queen", K: "king", A: "ace" };
const ORDER = "23456789TJQKA";

/** @type {Record<Kind, Record<string, string>>} */
const FIGURES = {
  monster: {
    2: "rat", 3: "bat", 4: "spider", 5: "serpent", 6: "ghost", 7: "goblin", 8: "wolf",
    9: "skeleton", T: "minotaur", J: "fallen knight", Q: "banshee", K: "lich king", A: "dragon",
  },
  weapon: {
    2: "dagger", 3: "cudgel", 4: "hatchet", 5: "short sword", 6: "mace", 7: "spear",
    8: "battle axe", 9: "long sword", T: "great sword",
  },
  potion: {
    2: "vial", 3: "vial", 4: "vial", 5: "flask", 6: "flask", 7: "flask", 8: "elixir", 9: "elixir",
    T: "elixir",
  },
};

/** @param {string} code @returns {Kind} */
export function kindOf(code) {
  return KINDS[code.slice(1)] ?? "monster";
}

/** @param {string} code @returns {number} */
export function valueOf(code) {
  return ORDER.indexOf(code.slice(0, 1)) + 2;
}

/** The rank as printed on the card: 10, K. @param {string} code */
export function rankOf(code) {
  return code.startsWith("T") ? "10" : code.slice(0, 1);
}

/** Rank and suit symbol: 10♠. @param {string} code */
export function signOf(code) {
  return `${rankOf(code)}${SIGNS[code.slice(1)] ?? ""}`;
}

/** The name of the card: king of spades. @param {string} code */
export function nameOf(code) {
  const rank = code.slice(0, 1);
  return `${RANKS[rank] ?? rank} of ${SUITS[code.slice(1)] ?? "?"}`;
}

/** The figure on the card: lich king. @param {string} code */
export function figureOf(code) {
  return FIGURES[kindOf(code)][code.slice(0, 1)] ?? kindOf(code);
}

/** The full description, for screen readers. @param {string} code */
export function describe(code) {
  return `${capital(nameOf(code))}, ${kindOf(code)} ${valueOf(code)}`;
}

/** @param {string} text */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A number with a typographic minus. @param {number} number */
export function formatNumber(number) {
  return String(number).replace("-", "−");
}

/** Join names: a, b and c. @param {string[]} words */
export function join(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
