/** The end of a game: the score and how it came about, and the proof that the deck was fixed. */

import * as api from "./api.js";
import { h, put } from "./dom.js";
import { figure } from "./names.js";
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
      h("p", { class: "score" }, h("span", { class: "unseen" }, "Score "), h("b", {}, figure(game.score ?? 0))),
      sum, rank,
      h("div", { class: "buttons" },
        h("button", { type: "button", class: "primary", click: on.again }, "Play again"),
        h("button", { type: "button", class: "quiet", click: on.sameDeck }, "Same deck again"),
        h("button", { type: "button", class: "quiet", click: on.showLedger }, "See the ledger")),
    ),
    proof,
  );
  void tellScore(game, terms, sum, rank);
  void tellProof(game, proof);
  return { element, title };
}

/** @param {Game} game @param {Terms} terms @param {HTMLElement} sum @param {HTMLElement} rank */
async function tellScore(game, terms, sum, rank) {
  const score = await api.persist(() => api.getScore(game.id)).catch(() => null);
  if (!score || score.score === null || score.score === undefined) {
    return;
  }
  if (score.status === "won") {
    put(sum, `${figure(score.score - score.bonus)} ${terms.health} left`,
      score.bonus > 0 && ` + ${score.bonus} for the last potion = `, score.bonus > 0 && h("b", {}, figure(score.score)));
  } else {
    put(sum, `${figure(score.score + score.remaining)} ${terms.health} − ${score.remaining} for the monsters that remain = `,
      h("b", {}, figure(score.score)));
  }
  if (score.rank) {
    const byDeck = score.board?.includes("/");
    const tellRank = (/** @type {string} */ of) =>
      put(rank, "Rank ", h("b", {}, String(score.rank)), of, byDeck ? " among the games with this deck" : " in the Gravekeeper’s Ledger");
    tellRank("");
    const board = { ruleset: game.ruleset, ...(byDeck && game.seed && { seed: game.seed }), limit: 1 };
    const ledger = await api.listLedger(/** @type {api.LedgerQuery} */ (board)).catch(() => null);
    if (ledger) {
      tellRank(` of ${ledger.total}`);
    }
  } else if (game.custom) {
    put(rank, "A custom game enters no ledger");
  }
}

/** @param {Game} game @param {HTMLElement} proof */
async function tellProof(game, proof) {
  if (!game.seed) {
    put(proof, h("p", {}, "The deck’s seed is shown later."));
    return;
  }
  const promised = runs.known(game.id)?.commitment ?? game.commitment;
  const kept = await fingerprint(game.seed);
  const history = await api.persist(() => api.getHistory(game.id)).catch(() => null);
  put(
    proof,
    h("details", {},
      h("summary", {}, kept === null ? "Was the deck fixed from the start?" : kept === promised ? "The deck was fixed from the start: checked" : "The deck is not the one that was promised"),
      h("p", {}, "When the game began the server showed a fingerprint of the seed that the deck is shuffled with. Now it shows the seed, and anyone can see that they belong together."),
      h("dl", {},
        h("dt", {}, "Seed"), h("dd", {}, h("code", { "data-fact": "seed" }, game.seed)),
        h("dt", {}, "Fingerprint at the start"), h("dd", {}, h("code", { "data-fact": "commitment" }, promised)),
        h("dt", {}, "Fingerprint of the seed"),
        h("dd", {}, kept === null
          ? h("code", {}, `printf 'scoundrel\\0%s' '${game.seed}' | sha256sum`)
          : h("code", { "data-fact": "checked" }, kept), kept === null ? "" : kept === promised ? " the same ✓" : " not the same ✗"),
        history?.notation ? h("dt", {}, "The whole game") : null,
        history?.notation ? h("dd", {}, h("code", { "data-fact": "notation" }, history.notation)) : null)),
  );
}

/** SHA-256 of what the contract says; null where the browser will not compute it. @param {string} seed */
async function fingerprint(seed) {
  if (!globalThis.crypto?.subtle) {
    return null; // only on pages that came over HTTPS, or from this machine
  }
  const bytes = new TextEncoder().encode(`scoundrel\0${seed}`);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
