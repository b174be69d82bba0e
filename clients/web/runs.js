/** What this browser remembers: its runs, the keys of its locked games, and the last choices. */

/** @typedef {import("./api.js").Game} Game */
/**
 * @typedef {object} Run
 * @property {string} id
 * @property {string} ruleset
 * @property {boolean} custom
 * @property {string} mode
 * @property {string | null} player
 * @property {string} status
 * @property {number | null} score
 * @property {number} turn
 * @property {number} health
 * @property {string} commitment  as it was when the game was first seen here
 * @property {string} updated
 */

const RUNS = "scoundrel.runs";
const TOKENS = "scoundrel.tokens";
const CHOICES = "scoundrel.choices";
const MOST = 200;

/** All runs, the latest first. @returns {Run[]} */
export function runs() {
  return read(RUNS, []);
}

/** The finished ones. */
export function finished() {
  return runs().filter((run) => run.status !== "playing");
}

/** The game to go on with, if there is one. @returns {Run | undefined} */
export function unfinished() {
  return runs().find((run) => run.status === "playing");
}

/** The finished run with the best score. @returns {Run | undefined} */
export function best() {
  return finished().reduce(
    (top, run) => ((run.score ?? -Infinity) > (top?.score ?? -Infinity) ? run : top),
    /** @type {Run | undefined} */ (undefined),
  );
}

/** @param {string} id */
export function known(id) {
  return runs().find((run) => run.id === id);
}

/** Note how a game of this browser stands. @param {Game} game */
export function note(game) {
  const before = known(game.id);
  const run = {
    id: game.id,
    ruleset: game.ruleset,
    custom: game.custom,
    mode: game.mode,
    player: game.player,
    status: game.status,
    score: game.score,
    turn: game.turn,
    health: game.health,
    commitment: before?.commitment ?? game.commitment,
    updated: game.updated_at,
  };
  keep([run, ...runs().filter(({ id }) => id !== game.id)].slice(0, MOST));
}

/** Forget the finished runs; the ledger keeps what it has. */
export function clear() {
  keep(runs().filter((run) => run.status === "playing"));
}

/** Forget one run. @param {string} id */
export function forget(id) {
  keep(runs().filter((run) => run.id !== id));
}

/** Keep these runs; with the others go the keys of their games. @param {Run[]} kept */
function keep(kept) {
  const ids = new Set(kept.map(({ id }) => id));
  const gone = new Set(runs().map(({ id }) => id).filter((id) => !ids.has(id)));
  write(RUNS, kept);
  const tokens = Object.entries(read(TOKENS, /** @type {Record<string, string>} */ ({})));
  if (tokens.some(([id]) => gone.has(id))) {
    write(TOKENS, Object.fromEntries(tokens.filter(([id]) => !gone.has(id))));
  }
}

/** The key of a locked game, if this browser has it. @param {string} id @returns {string | null} */
export function tokenOf(id) {
  return read(TOKENS, /** @type {Record<string, string>} */ ({}))[id] ?? null;
}

/** @param {string} id @param {string} token */
export function keepToken(id, token) {
  write(TOKENS, { ...read(TOKENS, {}), [id]: token });
}

/** What was chosen on the start screen last. @returns {{player?: string, ruleset?: string}} */
export function choices() {
  return read(CHOICES, {});
}

/** @param {{player?: string, ruleset?: string}} chosen */
export function keepChoices(chosen) {
  write(CHOICES, chosen);
}

/**
 * @template T
 * @param {string} key
 * @param {T} otherwise
 * @returns {T}
 */
function read(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? otherwise;
  } catch {
    return otherwise; // storage is switched off, or holds something else
  }
}

/** @param {string} key @param {unknown} value */
function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is switched off or full: the game goes on without it.
  }
}
