/**
 * One game as this page knows it, kept in step with the server: it is loaded, played, and followed
 * while somebody else plays it. All it knows of the rules is which actions the server lists.
 */

import * as api from "./api.js";
import * as runs from "./runs.js";

/** @typedef {import("./api.js").Game} Game */
/** @typedef {import("./api.js").GameEvent} GameEvent */
/** @typedef {import("./api.js").LegalAction} LegalAction */
/** @typedef {"own" | "loaded" | "followed" | "stale"} How how a new state came about */
/**
 * @typedef {object} Listener
 * @property {(events: GameEvent[], before: Game | null, how: How) => void} onChange
 * @property {() => void} onStatus  busy, locked or known effects have changed
 * @property {(wait: import("./api.js").Wait | null) => void} onWait  null: it is over
 * @property {(error: unknown) => void} onTrouble
 * @property {() => void} onGone
 */

const LOOK_MS = 2_000;
const LOOK_SELDOM_MS = 10_000;
const LOOK_SELDOM_AFTER = 60;

export class Session {
  /** @type {Game | null} */
  game = null;
  /** What each legal action does, once the server has told. @type {Map<string, LegalAction>} */
  effects = new Map();
  busy = false;
  /** The game is locked, and this browser has no key to it. */
  watching = false;

  /** @type {string | null} */
  #tag = null;
  #closed = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #quiet = 0;
  #looking = false;
  /** Until when the server asked to be left alone, by `performance.now`. */
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

  /** Begin with what is known already, or fetch it. @param {import("./api.js").CreatedGame} [created] */
  async open(created) {
    if (created) {
      await this.#adopt(created, created.events, "own");
    } else {
      try {
        const found = await this.#persist(() => api.getGame(this.id));
        if (found) {
          this.#tag = found.tag;
          await this.#adopt(found.game, [], "loaded");
        }
      } catch (error) {
        this.#fail(error);
        return;
      }
    }
    this.#lookLater();
  }

  /** Leave the game: nothing is asked or told any more. */
  close() {
    this.#closed.abort();
    clearTimeout(this.#timer);
  }

  /** Whether it is known what every action would do. */
  get informed() {
    return this.game?.actions.every((action) => this.effects.has(action)) ?? false;
  }

  /** Whether an action can be chosen now. @param {string} action */
  allows(action) {
    return !this.busy && !this.watching && Boolean(this.game?.actions.includes(action));
  }

  /** Do it, and repeat the very same request until it is answered. @param {string} action */
  async act(action) {
    if (!this.game || !this.allows(action)) {
      return;
    }
    const { version } = this.game;
    this.busy = true;
    this.listener.onStatus();
    try {
      const answer = await this.#persist(
        () => api.applyActions(this.id, version, [action], runs.tokenOf(this.id)),
      );
      this.busy = false;
      this.#quiet = 0;
      this.listener.onStatus();
      await this.#adopt(answer, answer.events, "own");
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
    const code = error instanceof api.Refusal ? error.code : null;
    if (code === "token_required") {
      this.watching = true;
    } else if (error instanceof api.Refusal && code === "version_mismatch" && error.problem.state) {
      await this.#adopt(/** @type {Game} */ (error.problem.state), [], "stale");
    } else if (code === "game_over" || code === "illegal_action") {
      await this.#look("stale");
    } else {
      this.#fail(error);
    }
    this.listener.onStatus();
  }

  /**
   * Take a state as the present one, unless a later one is known.
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
    if (how === "own" || runs.known(game.id)) {
      runs.note(game);
    }
    if (!changed && how !== "stale") {
      this.listener.onStatus();
      return;
    }
    this.effects = new Map();
    this.listener.onChange(events, before, how);
    await this.#learnEffects(game);
  }

  /** Ask what each action would do. @param {Game} game */
  async #learnEffects(game) {
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
      this.#heed(error); // the actions can be chosen all the same, and the next look asks again
    }
  }

  /**
   * See whether somebody else has moved.
   * @param {How} [how]
   */
  async #look(how = "followed") {
    if (this.busy || this.#looking || (how === "followed" && performance.now() < this.#notBefore)) {
      return;
    }
    this.#looking = true;
    try {
      const found = await api.getGame(this.id, this.#tag);
      this.#quiet += 1;
      if (found && !this.busy) {
        this.#tag = found.tag;
        const { game } = found;
        const since = this.game?.version ?? 0;
        if (game.version > since) {
          this.#quiet = 0;
          await this.#adopt(game, await this.#eventsSince(since, game.version), how);
        } else {
          await this.#adopt(game, [], how);
        }
      }
      if (this.game?.actions.length && !this.effects.size) {
        await this.#learnEffects(this.game);
      }
      this.listener.onWait(null);
    } catch (error) {
      const retry = api.reasonToRetry(error);
      if (retry) {
        this.#heed(error);
        this.listener.onWait({ retry, seconds: Math.max(api.waitAsked(error), LOOK_MS / 1000) });
      } else {
        this.#fail(error);
      }
    } finally {
      this.#looking = false;
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
      this.#heed(error);
      return []; // the state says where things are, if not how they got there
    }
  }

  /** Leave the server alone for as long as it asked. @param {unknown} error */
  #heed(error) {
    this.#notBefore = Math.max(this.#notBefore, performance.now() + api.waitAsked(error) * 1000);
  }

  #lookLater() {
    clearTimeout(this.#timer);
    if (this.#closed.signal.aborted || this.game?.status !== "playing" || document.hidden) {
      return;
    }
    const usual = this.#quiet > LOOK_SELDOM_AFTER ? LOOK_SELDOM_MS : LOOK_MS;
    const wait = Math.max(usual, this.#notBefore - performance.now());
    this.#timer = setTimeout(async () => {
      await this.#look();
      this.#lookLater();
    }, wait);
  }

  async #onVisible() {
    if (!document.hidden && this.game?.status === "playing") {
      this.#quiet = 0;
      await this.#look();
      this.#lookLater();
    }
  }

  /** @template T @param {() => Promise<T>} request @returns {Promise<T>} */
  async #persist(request) {
    const answer = await api.persist(request, { onWait: (wait) => this.listener.onWait(wait), signal: this.#closed.signal });
    this.listener.onWait(null);
    return answer;
  }

  /** @param {unknown} error */
  #fail(error) {
    if (this.#closed.signal.aborted) {
      return;
    }
    if (error instanceof api.Refusal && error.code === "game_not_found") {
      this.close();
      this.listener.onGone();
    } else {
      this.listener.onTrouble(error);
    }
  }
}
