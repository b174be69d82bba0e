/**
 * The API client: one function per operation, typed by the contract (`schema.d.ts`).
 *
 * Every request is safe to repeat: a move names the version it applies to, and a new game has an
 * idempotency key. `withRetry` repeats a request during faults and outages.
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
 * The named fields of an object that allows additional ones.
 * @template T
 * @typedef {{[Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: T[Name]}} Known
 */
/** @typedef {NonNullable<import("./schema").operations["listLedger"]["parameters"]["query"]>} LedgerQuery */
/** @typedef {import("./schema").paths} Paths */
/** @typedef {"get" | "post"} Method */
/**
 * The contract's paths that support a method.
 * @template {Method} M
 * @typedef {{[P in keyof Paths]: Paths[P][M] extends {responses: object} ? P : never}[keyof Paths]} PathOf
 */
/**
 * The parts of an operation's request.
 * @template Operation
 * @typedef {(Operation extends {parameters: {path: infer Path}} ? {path: Path} : {path?: never})
 *   & (Operation extends {parameters: {query?: infer Query}} ? {query?: Query} : {query?: never})
 *   & (Operation extends {parameters: {header?: infer Headers}} ? {headers?: Headers} : {headers?: never})
 *   & (Operation extends {requestBody: {content: {"application/json": infer Body}}} ? {body: Body} : {body?: never})
 *   & {token?: string | null}} Parts
 */
/** @typedef {{path?: Record<string, string>, query?: object, headers?: Record<string, string>, body?: object, token?: string | null}} AnyParts */
/**
 * An operation's successful response.
 * @template Operation
 * @typedef {Omit<Response, "json"> & {json: () => Promise<
 *   Operation extends {responses: {200: {content: {"application/json": infer Body}}}} ? Body
 *   : Operation extends {responses: {201: {content: {"application/json": infer Body}}}} ? Body : never>}} Success
 */
/** @typedef {{retry: "offline" | "busy" | "away", seconds: number}} Wait */
/** @typedef {{onWait?: (wait: Wait) => void, signal?: AbortSignal}} RetryOptions */

const BASE = new URL("../", import.meta.url);
const TIMEOUT_MS = 10_000;
const MAX_WAIT = 15;
const RETRYABLE = new Map([[429, "busy"], [500, "away"], [502, "away"], [503, "away"], [504, "away"]]);

/** An error response of the API. */
export class ApiError extends Error {
  /** @param {Problem} problem @param {number} retryAfter */
  constructor(problem, retryAfter = 0) {
    super(problem.detail ?? problem.title);
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  /** @returns {string} */
  get code() {
    return this.problem.code;
  }
}

/** The API could not be reached, or did not respond in time. */
export class NetworkError extends Error {}

/**
 * @param {NewGame} game
 * @param {string} key
 */
export async function createGame(game, key) {
  return (await send("post", "/v1/games", { body: game, headers: { "Idempotency-Key": key } })).json();
}

/**
 * Fetch a game; null if it still matches the entity tag.
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
 * Send a request, and repeat it after a network fault, while the server limits the rate, and during
 * an outage of the server or its store.
 * @template T
 * @param {() => Promise<T>} request
 * @param {RetryOptions} [options]
 * @returns {Promise<T>}
 */
export async function withRetry(request, { onWait, signal } = {}) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      const retry = retryReason(error);
      if (!retry || signal?.aborted) {
        throw error;
      }
      const backoff = Math.min(MAX_WAIT, 2 ** attempt * (0.5 + Math.random() / 2));
      const seconds = Math.max(retryAfter(error), backoff);
      onWait?.({ retry, seconds });
      await pause(seconds, signal, retry === "offline");
      if (signal?.aborted) {
        throw error;
      }
    }
  }
}

/** The reason to retry after an error; null if a retry is useless. @param {unknown} error @returns {Wait["retry"] | null} */
export function retryReason(error) {
  if (error instanceof NetworkError) {
    return "offline";
  }
  if (error instanceof ApiError) {
    return /** @type {Wait["retry"] | undefined} */ (RETRYABLE.get(error.problem.status)) ?? null;
  }
  return null;
}

/** The `Retry-After` of an error in seconds, or 0. @param {unknown} error */
export function retryAfter(error) {
  return error instanceof ApiError ? error.retryAfter : 0;
}

/** A new idempotency key: 128 random bits. */
export function newIdempotencyKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Send a request. Method and path determine the types of its parts and of its response.
 * @template {Method} M
 * @template {PathOf<M>} P
 * @param {M} method
 * @param {P} template
 * @param {Parts<Paths[P][M]>} parts
 * @returns {Promise<Success<Paths[P][M]>>}
 */
async function send(method, template, parts) {
  const { path = {}, query = {}, body, headers, token } = /** @type {AnyParts} */ (parts);
  const url = new URL(template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? "")).slice(1), BASE);
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
    throw new NetworkError(String(error));
  }
  if (response.ok || response.status === 304) {
    return response;
  }
  throw new ApiError(await problemOf(response), Number(response.headers.get("Retry-After")) || 0);
}

/** @param {Response} response @returns {Promise<Problem>} */
async function problemOf(response) {
  try {
    return await response.json();
  } catch {
    // The response is not from the API but, for instance, from a proxy.
    const title = "The server sent a response that this page does not understand";
    return /** @type {any} */ ({ title, detail: title, status: response.status, code: "unknown" });
  }
}

/**
 * @param {number} seconds
 * @param {AbortSignal | undefined} signal
 * @param {boolean} untilOnline
 * @returns {Promise<void>}
 */
function pause(seconds, signal, untilOnline) {
  return new Promise((resolve) => {
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
}
