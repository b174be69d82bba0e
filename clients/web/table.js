/** The table: the room, the piles, the weapon and the choices. */

import { back, face } from "./cards.js";
import { ChoicePanel, actionsOn, hint, kindOfAction, outcome, parseAction } from "./choice.js";
import { h, put } from "./dom.js";
import { animateCards, shake, showHealthChange, snapshot } from "./motion.js";
import { capital, describe, figureOf, formatNumber, nameOf, signOf } from "./names.js";

/** @typedef {import("./api.js").Game} Game */
/** @typedef {import("./api.js").GameEvent} GameEvent */
/** @typedef {import("./api.js").LegalAction} LegalAction */
/** @typedef {import("./api.js").Schemas["Terms"]} Terms */
/** @typedef {import("./game.js").Session} Session */

const SLOTS = 4;

export class Table {
  /** @type {string | null} */
  selected = null;
  /** The card that the arrow keys are at. @type {string | null} */
  #cursor = null;
  /** The cards of the room by place; a place stays empty until new cards are drawn. @type {(string | null)[]} */
  #slots = [];
  /** @type {Map<string, HTMLElement>} */
  #cards = new Map();
  /** @type {Terms} */
  #terms;

  /**
   * @param {Session} session
   * @param {Terms} terms
   * @param {string} title  of the ruleset
   * @param {{showDungeon: () => void, showDiscard: () => void}} panels
   */
  constructor(session, terms, title, panels) {
    this.session = session;
    this.#terms = terms;
    this.title = title;
    this.number = h("b", { class: "number" });
    this.most = h("span", { class: "most" });
    this.bar = h("span", { class: "bar" }, h("i", { class: "then" }), h("i", { class: "now" }));
    this.life = h(
      "div", { class: "life", role: "meter", "aria-label": capital(terms.health), "aria-valuemin": 0 },
      h("span", { class: "name" }, capital(terms.health)), this.number, this.most, this.bar,
    );
    this.facts = h("p", { class: "facts" });
    this.room = h("div", { class: "room", role: "group", "aria-label": "The room" });
    this.choice = new ChoicePanel(session, terms, {
      act: (action) => this.act(action),
      deselect: () => this.deselect(),
      preview: (effect) => this.#preview(effect),
    });
    this.dungeonCount = h("b", {});
    this.dungeonName = h("span", { class: "unseen" });
    this.discardName = h("span", { class: "unseen" });
    this.dungeon = h(
      "button", { type: "button", class: "pile", click: () => (session.allows("draw") ? void session.act("draw") : panels.showDungeon()) },
      h("span", { class: "stack" }, back()), h("span", { class: "caption", "aria-hidden": "true" }, "Dungeon ", this.dungeonCount), this.dungeonName,
    );
    this.discardTop = h("span", { class: "stack" });
    this.discardCount = h("b", {});
    this.discard = h(
      "button", { type: "button", class: "pile", click: panels.showDiscard },
      this.discardTop, h("span", { class: "caption", "aria-hidden": "true" }, "Discard ", this.discardCount), this.discardName,
    );
    this.weapon = h("div", { class: "arm", role: "group" });
    this.tale = h("p", { class: "tale", "aria-hidden": "true" });
    this.element = h(
      "section", { class: "table", "aria-label": "The table" },
      h("h1", { class: "unseen" }, `${title}: the table`),
      h("div", { class: "status" }, this.life, this.facts),
      this.room, this.choice.element,
      h("div", { class: "dungeon" }, this.dungeon), this.weapon, h("div", { class: "discard" }, this.discard),
      this.tale,
    );
  }

  /**
   * Show the current state, and animate the change.
   * @param {GameEvent[]} events
   * @param {Game | null} before
   */
  change(events, before) {
    const game = this.#game;
    const earlier = snapshot(this.element);
    const hadFocus = this.element.contains(document.activeElement);
    const from = this.#cursor ? this.#slots.indexOf(this.#cursor) : 0;
    if (this.selected && !game.room.includes(this.selected)) {
      this.selected = null;
    }
    this.#fillSlots(game.room);
    this.#cursor = this.#cursor && game.room.includes(this.#cursor) ? this.#cursor : this.#nearest(from);
    this.#drawPiles(game);
    this.#drawWeapon(game);
    this.#drawStatus(game);
    this.refresh();
    if (hadFocus && !this.element.contains(document.activeElement)) {
      this.focus();
    }
    const of = (/** @type {string} */ type) => events.filter((event) => event.type === type);
    animateCards(this.element, earlier, {
      dungeon: this.dungeon,
      discard: this.discard,
      drawn: of("cards_drawn").flatMap((event) => event.cards ?? []),
      avoided: of("room_avoided").flatMap((event) => event.cards ?? []),
      discarded: new Set(game.discard),
    });
    if (before && events.length) {
      showHealthChange(this.life, game.health - before.health);
      shake(this.room, before.health - game.health);
    }
  }

  /** Update everything that depends on the selection, the effects and `busy`. */
  refresh() {
    const game = this.#game;
    this.element.dataset["version"] = String(game.version);
    this.element.classList.toggle("busy", this.session.busy || !this.session.effectsKnown);
    this.element.classList.toggle("over", game.status !== "playing");
    this.element.classList.toggle("cleared", game.status !== "playing" && !game.room.length);
    this.element.classList.toggle("chosen", this.selected !== null);
    for (const [code, slot] of this.#cards) {
      this.#drawCard(code, slot);
    }
    this.choice.update(this.selected);
    const draws = this.session.allows("draw");
    this.dungeon.classList.toggle("can-draw", draws);
    this.dungeonName.textContent =
      `Dungeon, ${game.dungeon_size} ${game.dungeon_size === 1 ? "card" : "cards"}. ${draws ? "Draw a card" : "Show what is left"}`;
  }

  /** @param {string[]} lines */
  narrate(lines) {
    put(this.tale, ...lines.flatMap((line) => [h("span", {}, line), " "]));
  }

  /** Select a card, or deselect it if it is selected already. @param {string} code @param {boolean} byKey */
  select(code, byKey) {
    if (this.#game.status !== "playing" || !actionsOn(this.#game.actions, code).length) {
      return;
    }
    this.selected = this.selected === code && !byKey ? null : code;
    this.#cursor = code;
    this.refresh();
    if (byKey) {
      this.choice.focus();
    } else if (this.selected) {
      this.choice.element.scrollIntoView({ block: "nearest" });
    }
  }

  /** Select the card that the arrow keys are at. */
  selectCurrent() {
    if (this.#cursor) {
      this.select(this.#cursor, true);
    }
    return Boolean(this.#cursor);
  }

  /** Deselect the card; the arrow keys stay at it. */
  deselect() {
    if (!this.selected) {
      return false;
    }
    this.selected = null;
    this.refresh();
    this.#button(this.#cursor)?.focus();
    return true;
  }

  /** @param {string} action */
  act(action) {
    void this.session.act(action);
    return true;
  }

  /** Move by one card. @param {1 | -1} by */
  step(by) {
    const cards = this.#slots.filter((code) => code !== null);
    if (!cards.length) {
      return false;
    }
    const at = cards.indexOf(this.#cursor ?? "");
    const fresh = !this.element.contains(document.activeElement) && !this.selected;
    const next = cards[fresh ? Math.max(at, 0) : (at + by + cards.length) % cards.length] ?? null;
    this.#cursor = next;
    this.selected = null;
    this.refresh();
    this.#button(next)?.focus();
    return true;
  }

  /** Apply the action of a key, to the selected card if it applies to one. @param {string} kind */
  actByKey(kind) {
    const action = this.#game.actions.find((each) => {
      const { card } = parseAction(each);
      return kindOfAction(each) === kind && (!card || card === this.selected);
    });
    return Boolean(action && this.session.allows(action) && this.act(action));
  }

  /** Focus the element to continue with. */
  focus() {
    if (this.#game.actions.includes("draw")) {
      this.choice.focus("draw");
    } else {
      (this.#button(this.selected ?? this.#cursor) ?? this.discard).focus();
    }
  }

  /** @returns {Game} */
  get #game() {
    if (!this.session.game) {
      throw new Error("the session has no game yet");
    }
    return this.session.game;
  }

  /** @param {string[]} room */
  #fillSlots(room) {
    const stay = room.every((code) => this.#slots.includes(code));
    this.#slots = stay && this.#slots.length ? this.#slots.map((code) => (code && room.includes(code) ? code : null)) : [...room];
    while (this.#slots.length < SLOTS) {
      this.#slots.push(null);
    }
    const cards = new Map();
    const slots = this.#slots.map((code) => {
      if (!code) {
        return h("div", { class: "slot empty" });
      }
      const slot = this.#cards.get(code) ?? this.#makeSlot(code);
      cards.set(code, slot);
      return slot;
    });
    this.#cards = cards;
    if (slots.some((slot, i) => slot !== this.room.children[i]) || this.room.children.length !== SLOTS) {
      put(this.room, ...slots);
    }
  }

  /** @param {string} code */
  #makeSlot(code) {
    const card = h(
      "button",
      {
        type: "button", class: "card", "data-card": code,
        click: (/** @type {MouseEvent} */ event) => this.select(code, event.detail === 0),
        focus: () => this.#setCursor(code),
      },
      face(code),
      h("span", { class: "unseen" }),
    );
    return h("div", { class: "slot" }, card, h("span", { class: "hints", "aria-hidden": "true" }));
  }

  /** @param {string} code @param {HTMLElement} slot */
  #drawCard(code, slot) {
    const game = this.#game;
    const actions = actionsOn(game.actions, code);
    const button = /** @type {HTMLElement} */ (slot.firstElementChild);
    const effects = actions.map((action) => {
      const label = { weapon: "With the weapon", barehanded: "Barehanded", equip: "Can be equipped", drink: "Can be drunk" }[/** @type {string} */ (kindOfAction(action))] ?? "";
      const effect = outcome(this.session.effects.get(action), action, this.#terms);
      return effect ? `${label}: ${effect}` : label;
    });
    /** @type {HTMLElement} */ (button.lastElementChild).textContent = [describe(code), ...effects].join(". ");
    button.setAttribute("aria-pressed", String(this.selected === code));
    button.setAttribute("tabindex", code === this.#cursor ? "0" : "-1");
    if (actions.length) {
      button.removeAttribute("aria-disabled");
    } else {
      button.setAttribute("aria-disabled", "true");
    }
    put(/** @type {HTMLElement} */ (slot.lastElementChild), ...actions.map((action) => hint(action, this.session.effects.get(action))));
  }

  /** @param {string} code */
  #setCursor(code) {
    if (this.#cursor !== code) {
      this.#button(this.#cursor)?.setAttribute("tabindex", "-1");
      this.#cursor = code;
      this.#button(code)?.setAttribute("tabindex", "0");
    }
  }

  /** @param {Game} game */
  #drawPiles(game) {
    this.dungeonCount.textContent = String(game.dungeon_size);
    this.dungeon.classList.toggle("none", game.dungeon_size === 0);
    const top = game.discard.at(-1);
    this.discardCount.textContent = String(game.discard.length);
    this.discard.classList.toggle("none", !top);
    put(this.discardTop, top ? h("span", { class: "lying", "data-card": top }, face(top)) : null);
    this.discardName.textContent =
      top ? `Discard, ${game.discard.length} ${game.discard.length === 1 ? "card" : "cards"}, the ${nameOf(top)} on top. Show all` : "Discard, empty";
  }

  /** @param {Game} game */
  #drawWeapon(game) {
    const { weapon } = game;
    this.weapon.classList.toggle("none", !weapon);
    if (!weapon) {
      this.weapon.setAttribute("aria-label", "No weapon");
      put(this.weapon, h("span", { class: "caption", "aria-hidden": "true" }, "No weapon"));
      return;
    }
    const slain = weapon.monsters.length
      ? `Slain with it, in this order: ${weapon.monsters.map(nameOf).join(", ")}`
      : "Nothing slain with it yet";
    this.weapon.setAttribute("aria-label", "Your weapon");
    const fan = h(
      "div", { class: "fan", "aria-hidden": "true" },
      ...[weapon.card, ...weapon.monsters].map((code) => h("span", { class: "lying", "data-card": code }, face(code))),
    );
    fan.style.setProperty("--cards", String(weapon.monsters.length));
    const last = weapon.monsters.at(-1);
    put(
      this.weapon,
      fan,
      h("p", { class: "unseen" }, `${describe(weapon.card)}. ${slain}.`),
      h("span", { class: "caption", "aria-hidden": "true" }, capital(figureOf(weapon.card)), " ", h("b", {}, String(weapon.value)), last ? `, last slain ${signOf(last)}` : ", unused"),
    );
  }

  /** @param {Game} game */
  #drawStatus(game) {
    const now = Math.max(0, game.health);
    this.number.textContent = formatNumber(game.health);
    this.most.textContent = `/ ${game.max_health}`;
    this.life.setAttribute("aria-valuemax", String(game.max_health));
    this.life.setAttribute("aria-valuenow", String(now));
    this.life.setAttribute("aria-valuetext", `${game.health} of ${game.max_health}`);
    this.life.classList.toggle("low", game.health * 3 <= game.max_health);
    this.bar.style.setProperty("--now", String(now / game.max_health));
    this.#preview(null);
    put(
      this.facts,
      h("span", {}, "Turn ", h("b", {}, String(game.turn))),
      h("span", {}, `${this.title}${game.custom ? ", custom" : ""}`),
      game.player && h("span", { class: "player" }, game.player),
    );
  }

  /** Show in the bar the health after an action. @param {LegalAction | null} effect */
  #preview(effect) {
    const game = this.#game;
    const then = effect ? Math.max(0, effect.health_after) : Math.max(0, game.health);
    this.bar.style.setProperty("--then", String(then / game.max_health));
    this.bar.classList.toggle("down", then < game.health);
    this.bar.classList.toggle("up", then > game.health);
  }

  /** @param {number} from */
  #nearest(from) {
    const at = Math.max(0, from);
    const byDistance = this.#slots
      .map((code, i) => ({ code, distance: Math.abs(i - at) }))
      .filter(({ code }) => code !== null)
      .sort((a, b) => a.distance - b.distance);
    return byDistance[0]?.code ?? null;
  }

  /** @param {string | null} code @returns {HTMLElement | null} */
  #button(code) {
    return code ? /** @type {HTMLElement | null} */ (this.#cards.get(code)?.firstElementChild ?? null) : null;
  }
}
