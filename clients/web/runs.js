/** Data stored in this browser: its runs, the tokens of its locked games, and the last choices. */

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
 * @property {string} commitment  as first received, to verify the deck at the end
 * @property {string} updated
 */

const RUNS = "scoundrel.runs";
const TOKENS = "scoundrel.tokens";
const CHOICES = "scoundrel.choices";
const MAX_RUNS = 200;

/** All runs, the latest first. @returns {Run[]} */
export function runs() {
  return read(RUNS, []);
}

export function finished() {
  return runs().filter((run) => run.status !== "playing");
}

/** The latest run in progress. @returns {Run | undefined} */
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
export function find(id) {
  return runs().find((run) => run.id === id);
}

/** Store the state of a game. @param {Game} game */
export function save(game) {
  const before = find(game.id);
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
  keep([run, ...runs().filter(({ id }) => id !== game.id)].slice(0, MAX_RUNS));
}

/** Forget the finished runs. */
export function clear() {
  keep(runs().filter((run) => run.status === "playing"));
}

/** Forget one run. @param {string} id */
export function forget(id) {
  keep(runs().filter((run) => run.id !== id));
}

/** Keep only these runs, and forget the tokens of all others. @param {Run[]} kept */
function keep(kept) {
  const ids = new Set(kept.map(({ id }) => id));
  const gone = new Set(runs().map(({ id }) => id).filter((id) => !ids.has(id)));
  write(RUNS, kept);
  const entries = Object.entries(tokens());
  if (entries.some(([id]) => gone.has(id))) {
    write(TOKENS, Object.fromEntries(entries.filter(([id]) => !gone.has(id))));
  }
}

/** The token of a locked game, if this browser has it. @param {string} id @returns {string | null} */
export function tokenOf(id) {
  return tokens()[id] ?? null;
}

/** @param {string} id @param {string} token */
export function saveToken(id, token) {
  write(TOKENS, { ...tokens(), [id]: token });
}

/** @returns {Record<string, string>} */
function tokens() {
  return read(TOKENS, {});
}

/** The last choices on the start screen. @returns {{player?: string, ruleset?: string}} */
export function choices() {
  return read(CHOICES, {});
}

/** @param {{player?: string, ruleset?: string}} chosen */
export function saveChoices(chosen) {
  write(CHOICES, chosen);
}

/**
 * @template T
 * @param {string} key
 * @param {T} fallback
 * @returns {T}
 */
function read(key, fallback) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? fallback;
  } catch {
    return fallback; // storage is disabled, or its content is damaged
  }
}

/** @param {string} key @param {unknown} value */
function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is disabled or full: the game works without it.
  }
}
