/** The page: which screen is shown, and what the buttons and the keys do. */

import * as api from "./api.js";
import { h, byId, put } from "./dom.js";
import { endScreen } from "./end.js";
import { Session } from "./game.js";
import { listen } from "./keys.js";
import { lie, sentences } from "./narrate.js";
import { showCredits } from "./panels/credits.js";
import { showHelp } from "./panels/help.js";
import { showLedger } from "./panels/ledger.js";
import { copyLink, mayDo } from "./panels/link.js";
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
const USUAL_TERMS = { health: "health", avoid: "avoid", to_avoid: "avoid" };
const SHORT_MS = 6_000;

/** @type {Ruleset[]} */
let rulesets = [];
/** @type {Session | null} */
let session = null;
/** @type {Table | null} */
let table = null;
/** A game just created, until its table is shown. @type {CreatedGame | null} */
let created = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let noticeTimer;

// What is told -------------------------------------------------------------------------------

/** Show a line above the game; `kind` keeps apart who may take it away. @param {string} text @param {{kind?: string, stays?: boolean}} [manner] */
function tell(text, { kind = "news", stays = false } = {}) {
  clearTimeout(noticeTimer);
  notice.dataset["kind"] = kind;
  put(notice, text);
  notice.hidden = false;
  if (!stays) {
    noticeTimer = setTimeout(() => untell(kind), SHORT_MS);
  }
}

/** @param {string} [kind] only if it is of this kind */
function untell(kind) {
  if (!kind || notice.dataset["kind"] === kind) {
    notice.hidden = true;
    put(notice);
  }
}

/** @param {string[]} lines */
function say(lines) {
  table?.tell(lines);
  put(voice, lines.join(" "));
}

/** @param {api.Wait | null} wait */
function onWait(wait) {
  if (!wait) {
    untell("wait");
    return;
  }
  const texts = {
    offline: "No connection to the server. Nothing is lost; trying again …",
    busy: `The server asks for a little patience. Going on in ${Math.ceil(wait.seconds)} s …`,
    away: "The server cannot get at the games just now. Nothing is lost; trying again …",
  };
  tell(texts[wait.retry], { kind: "wait", stays: true });
}

// Screens ------------------------------------------------------------------------------------

function leave() {
  session?.close();
  session = table = null;
  link.hidden = true;
  untell();
}

async function route() {
  const id = new URLSearchParams(location.hash.slice(1)).get("game");
  if (id && session?.id === id) {
    return;
  }
  leave();
  if (!rulesets.length) {
    put(main, h("p", { class: "message soft" }, "One moment …"));
    rulesets = await api.persist(api.listRulesets, { onWait });
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
    goOn: (id) => go(id),
    showRules: (name) => showRules(rulesetOf(name)),
    showRuns: openRuns,
  }));
  scrollTo(0, 0);
}

/** @param {string} id */
function go(id) {
  location.hash = `game=${id}`;
}

/** Create a game and show it; the key makes sure that however often it is sent, it is one. @param {NewGame} wanted */
async function begin(wanted) {
  const key = api.newKey();
  created = await api.persist(() => api.createGame(wanted, key), { onWait });
  onWait(null);
  if (created.token) {
    runs.keepToken(created.id, created.token);
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
    onTrouble: (error) => tell(error instanceof api.Refusal ? error.message : "Something went wrong on this page. Reload it to go on.", { stays: true }),
    onGone: showGone,
  });
  session = opened;
  if (created?.id !== id) {
    put(main, h("p", { class: "message soft" }, "One moment …"));
  }
  const known = created?.id === id ? created : undefined;
  created = null;
  await opened.open(known);
}

function showGone() {
  const id = session?.id;
  if (id) {
    runs.forget(id);
  }
  leave();
  document.title = "No such game, Scoundrel";
  put(main, h("div", { class: "message" },
    h("h1", {}, "This game is not here"),
    h("p", {}, "The link is not quite right, or the game has not been played for so long that it is forgotten."),
    h("p", {}, h("a", { href: "#", class: "primary" }, "To the start"))));
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
  const terms = ruleset?.terms ?? USUAL_TERMS;
  if (!before) {
    table = new Table(from, terms, ruleset?.title ?? game.ruleset, {
      showDungeon: () => from.game && showDungeon(from.game),
      showDiscard: () => from.game && showDiscard(from.game),
    });
    put(main, table.element);
    scrollTo(0, 0);
  }
  link.hidden = false;
  table?.change(events, before);
  const lines = sentences(events, terms);
  say(lines.length ? lines : [lie(game, terms)]);
  document.title = `${game.status === "playing" ? `${game.health} ${terms.health}` : game.status === "won" ? "Won" : "Lost"}, Scoundrel`;
  if (how === "stale") {
    tell("The game has moved on elsewhere. This is how it stands now; choose again.");
  } else if (how === "followed") {
    tell("Played elsewhere just now.");
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
  const again = /** @type {NewGame} */ ({
    ruleset: game.ruleset,
    ...(game.custom && { options: game.options }),
    ...(runs.choices().player && { player: runs.choices().player }),
  });
  const restart = (/** @type {NewGame} */ wanted) => begin(wanted).catch((error) => tell(error instanceof Error ? error.message : String(error)));
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
  void copyLink(session.id, locked).then((copied) => copied && tell(`Link copied. ${mayDo(locked)}`));
  return true;
}

byId("rules").addEventListener("click", openRules);
byId("ledger").addEventListener("click", openLedger);
byId("runs").addEventListener("click", openRuns);
byId("help").addEventListener("click", () => showHelp());
byId("credits").addEventListener("click", () => showCredits(rulesets));
link.addEventListener("click", share);
byId("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the fragment is the game's
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
      // A button with the focus knows itself what Enter does.
      return event.target === document.body && (table?.enter() ?? false);
    case "deselect":
      return table?.deselect() ?? false;
    default:
      return table?.key(intent) ?? false;
  }
});

addEventListener("hashchange", () => void route());
void route();
