/** The Gravekeeper's Ledger: the best runs, and the rank of the current one. */

import * as api from "../api.js";
import { h, put } from "../dom.js";
import { formatNumber } from "../names.js";
import { openPanel } from "./dialog.js";
import { day } from "./runs.js";

/** @typedef {import("../api.js").Game} Game */
/** @typedef {import("../api.js").Schemas["Entry"]} Entry */

const TOP = 10;
const AROUND = 5;

/**
 * @param {import("../api.js").Ruleset[]} rulesets
 * @param {Game | null} game  the current one
 */
export function showLedger(rulesets, game) {
  return openPanel("The Gravekeeper’s Ledger", "ledger", (close) => {
    const seeded = game && game.mode === "seeded" && game.seed && !game.custom ? game : null;
    const first = seeded ? "seed" : (game?.ruleset ?? rulesets[0]?.ruleset ?? "");
    const select = h(
      "select", { id: "board", change: () => void show() },
      seeded && h("option", { value: "seed", selected: true }, "This deck"),
      ...rulesets.map(({ ruleset, title }) => h("option", { value: ruleset, selected: ruleset === first }, title)),
    );
    const list = h("div", { class: "board", "aria-live": "polite" });
    const show = async () => {
      const query = select.value === "seed" && seeded
        ? { ruleset: seeded.ruleset, seed: seeded.seed ?? undefined }
        : { ruleset: select.value };
      list.setAttribute("aria-busy", "true");
      try {
        put(list, ...(await board(/** @type {api.LedgerQuery} */ (query), game, close)));
      } catch {
        put(list, h("p", { role: "alert" }, "The ledger cannot be loaded right now."),
          h("button", { type: "button", class: "quiet", click: () => void show() }, "Try again"));
      } finally {
        list.removeAttribute("aria-busy");
      }
    };
    void show();
    return [h("p", { class: "which" }, h("label", { for: "board" }, "The best runs of"), select), list];
  });
}

/**
 * @param {api.LedgerQuery} query
 * @param {Game | null} game
 * @param {() => void} close
 */
async function board(query, game, close) {
  const ledger = await api.listLedger({ ...query, limit: TOP });
  if (!ledger.entries.length) {
    return [h("p", { class: "soft" }, "Nobody has finished a run here yet.")];
  }
  const list = h("ol", { class: "list" }, ...ledger.entries.map((entry) => line(entry, game, close)));
  /** @type {HTMLElement[]} */
  const parts = [list];
  const over = game && game.status !== "playing" && !game.custom;
  const onTop = ledger.entries.some((entry) => entry.game_id === game?.id);
  const near = over && !onTop ? await around(query, game) : [];
  if (near.length) {
    const known = new Set(ledger.entries.map(({ rank }) => rank));
    parts.push(h("p", { class: "gap" }, "Your run"),
      h("ol", { class: "list" }, ...near.filter(({ rank }) => !known.has(rank)).map((entry) => line(entry, game, close))));
  }
  let cursor = ledger.next_cursor;
  if (cursor && !near.length) {
    const more = h("button", {
      type: "button", class: "quiet",
      click: async () => {
        const next = await api.listLedger({ ...query, limit: TOP, cursor: cursor ?? undefined });
        list.append(...next.entries.map((entry) => line(entry, game, close)));
        cursor = next.next_cursor;
        more.hidden = !cursor;
      },
    }, "Show more");
    parts.push(h("p", { class: "foot" }, more));
  }
  return [...parts, h("p", { class: "soft" }, `${ledger.total} ${ledger.total === 1 ? "run" : "runs"} in all`)];
}

/** @param {api.LedgerQuery} query @param {Game} game */
async function around(query, game) {
  try {
    return (await api.listLedger({ ...query, limit: AROUND, around: game.id })).entries;
  } catch {
    return []; // the run is on another board
  }
}

/** @param {Entry} entry @param {Game | null} game @param {() => void} close */
function line(entry, game, close) {
  const mine = entry.game_id === game?.id;
  const cells = [
    h("span", { class: "place" }, String(entry.rank)),
    h("b", { class: "points" }, formatNumber(entry.score)),
    h("span", { class: "who" }, entry.player ?? "Nameless", mine ? h("span", { class: "tag" }, "this run") : ""),
    h("span", { class: `fate ${entry.status}` }, entry.status === "won" ? "got out" : "died"),
    h("time", { datetime: entry.finished_at }, day(entry.finished_at)),
  ];
  return h(
    "li", { class: mine ? "mine" : "", "aria-current": mine ? "true" : null },
    entry.game_id ? h("a", { href: `#game=${entry.game_id}`, click: close }, ...cells) : h("span", {}, ...cells),
  );
}
