/** The page: shows the screens and handles buttons and keys. */

import * as api from "./api.js";
import { h, byId, put } from "./dom.js";
import { endScreen } from "./end.js";
import { Session } from "./game.js";
import { listen } from "./keys.js";
import { sentences, situation } from "./narrate.js";
import { showCredits } from "./panels/credits.js";
import { showHelp } from "./panels/help.js";
import { showLedger } from "./panels/ledger.js";
import { copyLink, linkPermission } from "./panels/link.js";
import { showDiscard, showDungeon } from "./panels/piles.js";
import { showRules } from "./panels/rules.js";
import { showRuns } from "./panels/runs.js";
import * as runs from "./runs.js";
import { startScreen } from "./start.js";
import { Table } from "./table.js";

/** @typedef {import("./api.js").CreatedGame} CreatedGame */
/** @typedef {import("./api.js").NewGame} NewGame */
/** @typedef {import("./api.js").Ruleset} Ruleset */

const main = byId("main"), notice = byId("notice"), voice = byId("voice"), link = byId("link");
const NOTICE_MS = 6_000;

/** @type {Ruleset[]} */
let rulesets = [];
/** @type {Session | null} */
let session = null;
/** @type {Table | null} */
let table = null;
/** The game just created, until it is shown. @type {CreatedGame | null} */
let created = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let noticeTimer;

// Messages -----------------------------------------------------------------------------------

/** Show a line above the game. @param {string} text @param {{kind?: string, stays?: boolean}} [options] */
function showNotice(text, { kind = "news", stays = false } = {}) {
  clearTimeout(noticeTimer);
  notice.dataset["kind"] = kind;
  put(notice, text);
  notice.hidden = false;
  if (!stays) {
    noticeTimer = setTimeout(() => hideNotice(kind), NOTICE_MS);
  }
}

/** @param {string} [kind] only if it is of this kind */
function hideNotice(kind) {
  if (!kind || notice.dataset["kind"] === kind) {
    notice.hidden = true;
    put(notice);
  }
}

/** @param {string[]} lines */
function announce(lines) {
  table?.narrate(lines);
  put(voice, lines.join(" "));
}

/** @param {api.Wait | null} wait */
function onWait(wait) {
  if (!wait) {
    hideNotice("wait");
    return;
  }
  const texts = {
    offline: "No connection to the server. Nothing is lost; trying again …",
    busy: `The server is busy. Trying again in ${Math.ceil(wait.seconds)} s …`,
    away: "The server cannot load games right now. Nothing is lost; trying again …",
  };
  showNotice(texts[wait.retry], { kind: "wait", stays: true });
}

// Screens ------------------------------------------------------------------------------------

function leave() {
  session?.close();
  session = table = null;
  link.hidden = true;
  hideNotice();
}

async function route() {
  const id = new URLSearchParams(location.hash.slice(1)).get("game");
  if (id && session?.id === id) {
    return;
  }
  leave();
  if (!rulesets.length) {
    put(main, h("p", { class: "message soft" }, "One moment …"));
    rulesets = await api.withRetry(api.listRulesets, { onWait });
    onWait(null);
  }
  if (id) {
    await showGame(id);
  } else {
    showStart();
  }
}

function showStart() {
  document.title = "Scoundrel";
  put(main, startScreen(rulesets, {
    begin,
    resume: go,
    showRules: (name) => showRules(rulesetOf(name)),
    showRuns: openRuns,
  }));
  scrollTo(0, 0);
}

/** @param {string} id */
function go(id) {
  location.hash = `game=${id}`;
}

/** Create a game and show it. @param {NewGame} newGame */
async function begin(newGame) {
  const key = api.newIdempotencyKey();
  created = await api.withRetry(() => api.createGame(newGame, key), { onWait });
  onWait(null);
  if (created.token) {
    runs.saveToken(created.id, created.token);
  }
  go(created.id);
}

/** @param {string} id */
async function showGame(id) {
  /** @type {Session} */
  const opened = new Session(id, {
    onChange: (events, before, how) => showChange(opened, events, before, how),
    onStatus: () => {
      if (table?.session === opened) {
        table.refresh();
      }
    },
    onWait,
    onError: (error) => showNotice(error instanceof api.ApiError ? error.message : "Something went wrong on this page. Reload it to continue.", { stays: true }),
    onNotFound: showNotFound,
  });
  session = opened;
  if (created?.id !== id) {
    put(main, h("p", { class: "message soft" }, "One moment …"));
  }
  const known = created?.id === id ? created : undefined;
  created = null;
  await opened.open(known);
}

function showNotFound() {
  const id = session?.id;
  if (id) {
    runs.forget(id);
  }
  leave();
  document.title = "Game not found, Scoundrel";
  put(main, h("div", { class: "message" },
    h("h1", {}, "Game not found"),
    h("p", {}, "The link is wrong, or the game expired because nobody played it for a long time."),
    h("p", {}, h("a", { href: "#", class: "primary" }, "Back to the start"))));
}

/**
 * @param {Session} from
 * @param {import("./api.js").GameEvent[]} events
 * @param {import("./api.js").Game | null} before
 * @param {import("./game.js").How} how
 */
function showChange(from, events, before, how) {
  const game = from.game;
  if (from !== session || !game) {
    return;
  }
  const ruleset = rulesetOf(game.ruleset);
  const { terms } = ruleset;
  if (!before) {
    table = new Table(from, terms, ruleset.title, {
      showDungeon: () => from.game && showDungeon(from.game),
      showDiscard: () => from.game && showDiscard(from.game),
    });
    put(main, table.element);
    scrollTo(0, 0);
  }
  link.hidden = false;
  table?.change(events, before);
  const lines = sentences(events, terms);
  announce(lines.length ? lines : [situation(game, terms)]);
  document.title = `${game.status === "playing" ? `${game.health} ${terms.health}` : game.status === "won" ? "Won" : "Lost"}, Scoundrel`;
  if (how === "stale") {
    showNotice("The game was played elsewhere in the meantime. Choose again.");
  } else if (how === "polled") {
    showNotice("The game was just played elsewhere.");
  }
  if (game.status !== "playing") {
    showEnd(game, terms, before !== null);
  } else if (!before) {
    table?.focus();
  }
}

/** @param {import("./api.js").Game} game @param {import("./api.js").Schemas["Terms"]} terms @param {boolean} fresh */
function showEnd(game, terms, fresh) {
  if (main.querySelector(".end")) {
    return;
  }
  const { player } = runs.choices();
  const again = /** @type {NewGame} */ ({
    ruleset: game.ruleset,
    ...(game.custom && { options: game.options }),
    ...(player && { player }),
  });
  const restart = (/** @type {NewGame} */ newGame) => begin(newGame).catch((error) => showNotice(error instanceof Error ? error.message : String(error)));
  const { element, title } = endScreen(game, terms, {
    again: () => restart(again),
    sameDeck: () => restart({ ...again, seed: game.seed ?? undefined }),
    showLedger: openLedger,
  });
  main.prepend(element);
  if (fresh) {
    title.focus();
    element.scrollIntoView({ block: "nearest" });
  }
}

// Buttons and keys ---------------------------------------------------------------------------

/** @param {string} name @returns {Ruleset} */
function rulesetOf(name) {
  return /** @type {Ruleset} */ (rulesets.find(({ ruleset }) => ruleset === name) ?? rulesets[0]);
}

function openRules() {
  const game = session?.game;
  const picked = /** @type {HTMLInputElement | null} */ (document.querySelector("input[name=ruleset]:checked"));
  showRules(rulesetOf(game?.ruleset ?? picked?.value ?? ""), game?.options);
  return true;
}

function openLedger() {
  showLedger(rulesets, session?.game ?? null);
  return true;
}

function openRuns() {
  showRuns((name) => rulesetOf(name).title, () => !session && showStart());
}

function share() {
  if (!session) {
    return false;
  }
  const locked = session.game?.locked ?? false;
  void copyLink(session.id, locked).then((copied) => copied && showNotice(`Link copied. ${linkPermission(locked)}`));
  return true;
}

byId("rules").addEventListener("click", openRules);
byId("ledger").addEventListener("click", openLedger);
byId("runs").addEventListener("click", openRuns);
byId("help").addEventListener("click", showHelp);
byId("credits").addEventListener("click", () => showCredits(rulesets));
link.addEventListener("click", share);
byId("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the fragment names the game
  main.focus();
});

listen((intent, event) => {
  switch (intent) {
    case "rules":
      return rulesets.length > 0 && openRules();
    case "ledger":
      return rulesets.length > 0 && openLedger();
    case "link":
      return share();
    case "left":
      return table?.step(-1) ?? false;
    case "right":
      return table?.step(1) ?? false;
    case "select":
      // A focused button handles Enter itself.
      return event.target === document.body && (table?.selectCurrent() ?? false);
    case "deselect":
      return table?.deselect() ?? false;
    default:
      return table?.actByKey(intent) ?? false;
  }
});

addEventListener("hashchange", () => void route());
void route();
