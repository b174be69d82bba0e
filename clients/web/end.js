/** The end screen: the score with its breakdown, and the proof that the deck was fixed. */

import * as api from "./api.js";
import { h, put } from "./dom.js";
import { formatNumber } from "./names.js";
import * as runs from "./runs.js";

/** @typedef {import("./api.js").Game} Game */
/** @typedef {import("./api.js").Score} Score */
/** @typedef {import("./api.js").Schemas["Terms"]} Terms */

/**
 * @param {Game} game
 * @param {Terms} terms
 * @param {{again: () => void, sameDeck: () => void, showLedger: () => void}} on
 */
export function endScreen(game, terms, on) {
  const won = game.status === "won";
  const sum = h("p", { class: "sum" });
  const rank = h("p", { class: "rank" });
  const proof = h("div", { class: "proof" });
  const title = h("h1", { id: "end-title", tabindex: -1 }, won ? "You made it out" : "The dungeon keeps you");
  const element = h(
    "section", { class: `end ${game.status}`, "aria-labelledby": "end-title" },
    h(
      "div", { class: "verdict" },
      title,
      h("p", { class: "score" }, h("span", { class: "unseen" }, "Score "), h("b", {}, formatNumber(game.score ?? 0))),
      sum, rank,
      h("div", { class: "buttons" },
        h("button", { type: "button", class: "primary", click: on.again }, "Play again"),
        h("button", { type: "button", class: "quiet", click: on.sameDeck }, "Same deck again"),
        h("button", { type: "button", class: "quiet", click: on.showLedger }, "See the ledger")),
    ),
    proof,
  );
  void showScore(game, terms, sum, rank);
  void showProof(game, proof);
  return { element, title };
}

/** @param {Game} game @param {Terms} terms @param {HTMLElement} sum @param {HTMLElement} rank */
async function showScore(game, terms, sum, rank) {
  const score = await api.withRetry(() => api.getScore(game.id)).catch(() => null);
  if (!score || score.score === null || score.score === undefined) {
    return;
  }
  if (score.status === "won") {
    put(sum, `${formatNumber(score.score - score.bonus)} ${terms.health} left`,
      score.bonus > 0 && ` + ${score.bonus} for the last potion = `, score.bonus > 0 && h("b", {}, formatNumber(score.score)));
  } else {
    put(sum, `${formatNumber(score.score + score.remaining)} ${terms.health} − ${score.remaining} for the monsters that remain = `,
      h("b", {}, formatNumber(score.score)));
  }
  if (score.rank) {
    const byDeck = score.board?.includes("/");
    const showRank = (/** @type {string} */ of) =>
      put(rank, "Rank ", h("b", {}, String(score.rank)), of, byDeck ? " among the games with this deck" : " in the Gravekeeper’s Ledger");
    showRank("");
    const board = { ruleset: game.ruleset, ...(byDeck && game.seed && { seed: game.seed }), limit: 1 };
    const ledger = await api.listLedger(/** @type {api.LedgerQuery} */ (board)).catch(() => null);
    if (ledger) {
      showRank(` of ${ledger.total}`);
    }
  } else if (game.custom) {
    put(rank, "Custom games are not ranked");
  }
}

/** @param {Game} game @param {HTMLElement} proof */
async function showProof(game, proof) {
  if (!game.seed) {
    put(proof, h("p", {}, "The seed of the deck is not available yet."));
    return;
  }
  const committed = runs.find(game.id)?.commitment ?? game.commitment;
  const computed = await fingerprint(game.seed);
  const history = await api.withRetry(() => api.getHistory(game.id)).catch(() => null);
  put(
    proof,
    h("details", {},
      h("summary", {}, computed === null ? "Was the deck fixed from the start?" : computed === committed ? "Verified: the deck was fixed from the start" : "Warning: the deck does not match its fingerprint"),
      h("p", {}, "When the game began, the server published a fingerprint of the seed that shuffles the deck. Now it publishes the seed, so anyone can check that the two match."),
      h("dl", {},
        h("dt", {}, "Seed"), h("dd", {}, h("code", { "data-fact": "seed" }, game.seed)),
        h("dt", {}, "Fingerprint at the start"), h("dd", {}, h("code", { "data-fact": "commitment" }, committed)),
        h("dt", {}, "Fingerprint of the seed"),
        h("dd", {}, computed === null
          ? h("code", {}, `printf 'scoundrel\\0%s' '${game.seed}' | sha256sum`)
          : h("code", { "data-fact": "checked" }, computed), computed === null ? "" : computed === committed ? " matches ✓" : " does not match ✗"),
        history?.notation ? h("dt", {}, "The whole game") : null,
        history?.notation ? h("dd", {}, h("code", { "data-fact": "notation" }, history.notation)) : null)),
  );
}

/** The SHA-256 commitment to a seed; null if the browser cannot compute it. @param {string} seed */
async function fingerprint(seed) {
  if (!globalThis.crypto?.subtle) {
    return null; // browsers offer it only over HTTPS and on localhost
  }
  const bytes = new TextEncoder().encode(`scoundrel\0${seed}`);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
