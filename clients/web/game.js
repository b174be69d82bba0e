/**
 * One game, kept in step with the server: loaded, played, and polled for moves made elsewhere. The
 * rules stay on the server; the page offers the actions that it lists.
 */

import * as api from "./api.js";
import * as runs from "./runs.js";

/** @typedef {import("./api.js").Game} Game */
/** @typedef {import("./api.js").GameEvent} GameEvent */
/** @typedef {import("./api.js").LegalAction} LegalAction */
/** @typedef {"own" | "loaded" | "polled" | "stale"} How the origin of a new state */
/**
 * @typedef {object} Listener
 * @property {(events: GameEvent[], before: Game | null, how: How) => void} onChange
 * @property {() => void} onStatus  `busy`, `watching` or `effects` changed
 * @property {(wait: import("./api.js").Wait | null) => void} onWait  null when the wait is over
 * @property {(error: unknown) => void} onError
 * @property {() => void} onNotFound
 */

const POLL_MS = 2_000;
const IDLE_POLL_MS = 10_000;
const IDLE_AFTER = 60;

export class Session {
  /** @type {Game | null} */
  game = null;
  /** The effect of each legal action, once loaded. @type {Map<string, LegalAction>} */
  effects = new Map();
  busy = false;
  /** Whether the game is locked and this browser has no token for it. */
  watching = false;

  /** @type {string | null} */
  #tag = null;
  #closed = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #unchanged = 0;
  #polling = false;
  /** The end of the last `Retry-After`, by `performance.now`. */
  #notBefore = 0;

  /**
   * @param {string} id
   * @param {Listener} listener
   */
  constructor(id, listener) {
    this.id = id;
    this.listener = listener;
    document.addEventListener("visibilitychange", () => this.#onVisible(), { signal: this.#closed.signal });
    addEventListener("online", () => this.#onVisible(), { signal: this.#closed.signal });
  }

  /** Show the game that was just created, or fetch it. @param {import("./api.js").CreatedGame} [created] */
  async open(created) {
    if (created) {
      await this.#adopt(created, created.events, "own");
    } else {
      try {
        const found = await this.#withRetry(() => api.getGame(this.id));
        if (found) {
          this.#tag = found.tag;
          await this.#adopt(found.game, [], "loaded");
        }
      } catch (error) {
        this.#fail(error);
        return;
      }
    }
    this.#schedulePoll();
  }

  /** Stop all requests and callbacks. */
  close() {
    this.#closed.abort();
    clearTimeout(this.#timer);
  }

  /** Whether the effect of every action is known. */
  get effectsKnown() {
    return this.game?.actions.every((action) => this.effects.has(action)) ?? false;
  }

  /** Whether an action can be chosen now. @param {string} action */
  allows(action) {
    return !this.busy && !this.watching && Boolean(this.game?.actions.includes(action));
  }

  /** Apply an action; the request is repeated during faults and outages. @param {string} action */
  async act(action) {
    if (!this.game || !this.allows(action)) {
      return;
    }
    const { version } = this.game;
    this.busy = true;
    this.listener.onStatus();
    try {
      const played = await this.#withRetry(
        () => api.applyActions(this.id, version, [action], runs.tokenOf(this.id)),
      );
      this.busy = false;
      this.#unchanged = 0;
      this.listener.onStatus();
      await this.#adopt(played, played.events, "own");
    } catch (error) {
      this.busy = false;
      await this.#recover(error);
    }
  }

  /** @param {unknown} error */
  async #recover(error) {
    if (this.#closed.signal.aborted) {
      return;
    }
    const code = error instanceof api.ApiError ? error.code : null;
    if (code === "token_required") {
      this.watching = true;
    } else if (error instanceof api.ApiError && code === "version_mismatch" && error.problem.state) {
      await this.#adopt(/** @type {Game} */ (error.problem.state), [], "stale");
    } else if (code === "game_over" || code === "illegal_action") {
      await this.#poll("stale");
    } else {
      this.#fail(error);
    }
    this.listener.onStatus();
  }

  /**
   * Take a state as the current one, unless it is older than the one shown.
   * @param {Game} game
   * @param {GameEvent[]} events
   * @param {How} how
   */
  async #adopt(game, events, how) {
    const before = this.game;
    if (this.#closed.signal.aborted || (before && game.version < before.version)) {
      return;
    }
    const changed = !before || game.version !== before.version || game.seed !== before.seed;
    this.game = game;
    if (!before) {
      this.watching = game.locked && !runs.tokenOf(game.id);
    }
    if (how === "own" || runs.find(game.id)) {
      runs.save(game);
    }
    if (!changed && how !== "stale") {
      this.listener.onStatus();
      return;
    }
    this.effects = new Map();
    this.listener.onChange(events, before, how);
    await this.#loadEffects(game);
  }

  /** @param {Game} game */
  async #loadEffects(game) {
    if (!game.actions.length) {
      return;
    }
    try {
      const { version, actions } = await api.listActions(this.id);
      if (version === this.game?.version && !this.#closed.signal.aborted) {
        this.effects = new Map(actions.map((action) => [action.action, action]));
        this.listener.onStatus();
      }
    } catch (error) {
      this.#postpone(error); // the actions work without it, and the next poll tries again
    }
  }

  /** Check for moves made elsewhere. @param {How} [how] */
  async #poll(how = "polled") {
    if (this.busy || this.#polling || (how === "polled" && performance.now() < this.#notBefore)) {
      return;
    }
    this.#polling = true;
    try {
      const found = await api.getGame(this.id, this.#tag);
      this.#unchanged += 1;
      if (found && !this.busy) {
        this.#tag = found.tag;
        const { game } = found;
        const since = this.game?.version ?? 0;
        if (game.version > since) {
          this.#unchanged = 0;
          await this.#adopt(game, await this.#eventsSince(since, game.version), how);
        } else {
          await this.#adopt(game, [], how);
        }
      }
      if (this.game?.actions.length && !this.effects.size) {
        await this.#loadEffects(this.game);
      }
      this.listener.onWait(null);
    } catch (error) {
      const retry = api.retryReason(error);
      if (retry) {
        this.#postpone(error);
        this.listener.onWait({ retry, seconds: Math.max(api.retryAfter(error), POLL_MS / 1000) });
      } else {
        this.#fail(error);
      }
    } finally {
      this.#polling = false;
    }
  }

  /** @param {number} since @param {number} until @returns {Promise<GameEvent[]>} */
  async #eventsSince(since, until) {
    try {
      const { history } = await api.getHistory(this.id);
      return history
        .filter(({ version }) => version > since && version <= until)
        .flatMap(({ events }) => events);
    } catch (error) {
      this.#postpone(error);
      return []; // the new state is shown without its events
    }
  }

  /** Postpone the next poll until `Retry-After` is over. @param {unknown} error */
  #postpone(error) {
    this.#notBefore = Math.max(this.#notBefore, performance.now() + api.retryAfter(error) * 1000);
  }

  #schedulePoll() {
    clearTimeout(this.#timer);
    if (this.#closed.signal.aborted || this.game?.status !== "playing" || document.hidden) {
      return;
    }
    const interval = this.#unchanged > IDLE_AFTER ? IDLE_POLL_MS : POLL_MS;
    const wait = Math.max(interval, this.#notBefore - performance.now());
    this.#timer = setTimeout(async () => {
      await this.#poll();
      this.#schedulePoll();
    }, wait);
  }

  async #onVisible() {
    if (!document.hidden && this.game?.status === "playing") {
      this.#unchanged = 0;
      await this.#poll();
      this.#schedulePoll();
    }
  }

  /** @template T @param {() => Promise<T>} request @returns {Promise<T>} */
  async #withRetry(request) {
    const result = await api.withRetry(request, { onWait: (wait) => this.listener.onWait(wait), signal: this.#closed.signal });
    this.listener.onWait(null);
    return result;
  }

  /** @param {unknown} error */
  #fail(error) {
    if (this.#closed.signal.aborted) {
      return;
    }
    if (error instanceof api.ApiError && error.code === "game_not_found") {
      this.close();
      this.listener.onNotFound();
    } else {
      this.listener.onError(error);
    }
  }
}
