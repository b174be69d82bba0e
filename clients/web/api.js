/**
 * The client of the API: one function an operation, typed by the contract (`schema.d.ts`).
 *
 * Every request may be repeated without doing anything twice: a move names the version it was
 * chosen for, and a new game its key. So `persist` simply sends the same again until it is answered.
 */

/** @typedef {import("./schema").components["schemas"]} Schemas */
/** @typedef {Schemas["Game"]} Game */
/** @typedef {Schemas["GameWithEvents"]} GameWithEvents */
/** @typedef {Schemas["CreatedGame"]} CreatedGame */
/** @typedef {Schemas["NewGame"]} NewGame */
/** @typedef {Schemas["LegalAction"]} LegalAction */
/** @typedef {Schemas["Event"]} GameEvent */
/** @typedef {Schemas["Score"]} Score */
/** @typedef {Schemas["History"]} History */
/** @typedef {Schemas["Ledger"]} Ledger */
/** @typedef {Schemas["Ruleset"]} Ruleset */
/** @typedef {Known<Schemas["Options"]>} Options */
/** @typedef {Schemas["Problem"]} Problem */
/**
 * What is known of an object to which more may be added.
 * @template T
 * @typedef {{[Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: T[Name]}} Known
 */
/** @typedef {NonNullable<import("./schema").operations["listLedger"]["parameters"]["query"]>} LedgerQuery */
/** @typedef {import("./schema").paths} Paths */
/** @typedef {"get" | "post"} Method */
/**
 * The paths that the contract has for a method.
 * @template {Method} M
 * @typedef {{[P in keyof Paths]: Paths[P][M] extends {responses: object} ? P : never}[keyof Paths]} PathOf
 */
/**
 * What goes with a request.
 * @template Operation
 * @typedef {(Operation extends {parameters: {path: infer Path}} ? {path: Path} : {path?: never})
 *   & (Operation extends {parameters: {query?: infer Query}} ? {query?: Query} : {query?: never})
 *   & (Operation extends {parameters: {header?: infer Headers}} ? {headers?: Headers} : {headers?: never})
 *   & (Operation extends {requestBody: {content: {"application/json": infer Body}}} ? {body: Body} : {body?: never})
 *   & {token?: string | null}} Parts
 */
/** @typedef {{path?: Record<string, string>, query?: object, headers?: Record<string, string>, body?: object, token?: string | null}} AnyParts */
/**
 * What comes back if all is well.
 * @template Operation
 * @typedef {Omit<Response, "json"> & {json: () => Promise<
 *   Operation extends {responses: {200: {content: {"application/json": infer Body}}}} ? Body
 *   : Operation extends {responses: {201: {content: {"application/json": infer Body}}}} ? Body : never>}} Answer
 */
/** @typedef {{retry: "offline" | "busy" | "away", seconds: number}} Wait */
/** @typedef {{onWait?: (wait: Wait) => void, signal?: AbortSignal}} Patience */

const BASE = new URL("../", import.meta.url);
const TIMEOUT_MS = 10_000;
const LONGEST_WAIT = 15;
const PASSING = new Map([[429, "busy"], [500, "away"], [502, "away"], [503, "away"], [504, "away"]]);

/** The API refused a request. */
export class Refusal extends Error {
  /** @param {Problem} problem @param {number} retryAfter */
  constructor(problem, retryAfter = 0) {
    super(problem.detail ?? problem.title);
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  /** What kind of refusal it is. @returns {string} */
  get code() {
    return this.problem.code;
  }
}

/** The API could not be reached, or did not answer in time. */
export class Unreachable extends Error {}

/**
 * @param {NewGame} game
 * @param {string} key
 */
export async function createGame(game, key) {
  return (await send("post", "/v1/games", { body: game, headers: { "Idempotency-Key": key } })).json();
}

/**
 * Look at a game; null if it is still the one that the tag stands for.
 * @param {string} id
 * @param {string | null} [tag]
 */
export async function getGame(id, tag) {
  const headers = tag ? { "If-None-Match": tag } : {};
  const response = await send("get", "/v1/games/{game_id}", { path: { game_id: id }, headers });
  if (response.status === 304) {
    return null;
  }
  return { game: await response.json(), tag: response.headers.get("ETag") };
}

/** @param {string} id */
export async function listActions(id) {
  return (await send("get", "/v1/games/{game_id}/actions", { path: { game_id: id } })).json();
}

/**
 * @param {string} id
 * @param {number} version
 * @param {string[]} actions
 * @param {string | null} token
 */
export async function applyActions(id, version, actions, token) {
  const body = { version, actions };
  return (await send("post", "/v1/games/{game_id}/actions", { path: { game_id: id }, body, token })).json();
}

/** @param {string} id */
export async function getScore(id) {
  return (await send("get", "/v1/games/{game_id}/score", { path: { game_id: id } })).json();
}

/** @param {string} id */
export async function getHistory(id) {
  return (await send("get", "/v1/games/{game_id}/history", { path: { game_id: id } })).json();
}

/** @param {LedgerQuery} query */
export async function listLedger(query) {
  return (await send("get", "/v1/ledger", { query })).json();
}

export async function listRulesets() {
  return (await (await send("get", "/v1/rulesets", {})).json()).rulesets;
}

/**
 * Send a request again and again until it is answered: over a lost connection, while the server
 * asks for patience, and while its store is away.
 * @template T
 * @param {() => Promise<T>} request
 * @param {Patience} [patience]
 * @returns {Promise<T>}
 */
export async function persist(request, { onWait, signal } = {}) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      const retry = reasonToRetry(error);
      if (!retry || signal?.aborted) {
        throw error;
      }
      const asked = waitAsked(error);
      const seconds = Math.max(asked, Math.min(LONGEST_WAIT, 2 ** attempt * (0.5 + Math.random() / 2)));
      onWait?.({ retry, seconds });
      await pause(seconds, signal, retry === "offline");
      if (signal?.aborted) {
        throw error;
      }
    }
  }
}

/** Why a failure may pass by itself; null if it will not. @param {unknown} error @returns {Wait["retry"] | null} */
export function reasonToRetry(error) {
  if (error instanceof Unreachable) {
    return "offline";
  }
  if (error instanceof Refusal) {
    return /** @type {Wait["retry"] | undefined} */ (PASSING.get(error.problem.status)) ?? null;
  }
  return null;
}

/** How long the server asked to be left alone, in seconds. @param {unknown} error */
export function waitAsked(error) {
  return error instanceof Refusal ? error.retryAfter : 0;
}

/** A key that nobody else has: 128 random bits. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Send a request that the contract knows; what goes with it and what comes back follow from where it goes.
 * @template {Method} M
 * @template {PathOf<M>} P
 * @param {M} method
 * @param {P} where
 * @param {Parts<Paths[P][M]>} parts
 * @returns {Promise<Answer<Paths[P][M]>>}
 */
async function send(method, where, parts) {
  const { path = {}, query = {}, body, headers, token } = /** @type {AnyParts} */ (parts);
  const url = new URL(where.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? "")).slice(1), BASE);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) {
      url.searchParams.set(name, String(value));
    }
  }
  /** @type {Response} */
  let response;
  try {
    response = await fetch(url, {
      method: method.toUpperCase(),
      headers: {
        Accept: "application/json",
        ...(body && { "Content-Type": "application/json" }),
        ...(token && { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: body && JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    throw new Unreachable(String(error));
  }
  if (response.ok || response.status === 304) {
    return response;
  }
  throw new Refusal(await problemOf(response), Number(response.headers.get("Retry-After")) || 0);
}

/** @param {Response} response @returns {Promise<Problem>} */
async function problemOf(response) {
  try {
    return await response.json();
  } catch {
    // Something in between has answered, a proxy for instance.
    const title = "The server gave an answer that the page does not understand";
    return /** @type {any} */ ({ title, detail: title, status: response.status, code: "unknown" });
  }
}

/**
 * @param {number} seconds
 * @param {AbortSignal | undefined} signal
 * @param {boolean} untilOnline
 */
function pause(seconds, signal, untilOnline) {
  /** @type {Promise<void>} */
  const paused = new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, seconds * 1000);
    signal?.addEventListener("abort", done);
    if (untilOnline) {
      addEventListener("online", done);
    }
  });
  return paused;
}
