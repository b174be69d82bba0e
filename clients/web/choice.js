/** What can be done now, and what each choice would do: straight from the list of legal actions. */

import { h, put } from "./dom.js";
import { icon } from "./figures.js";
import { capital, figureOf, kindOf, nameOf, signOf, valueOf } from "./names.js";

/** @typedef {import("./api.js").LegalAction} LegalAction */
/** @typedef {import("./api.js").Schemas["Terms"]} Terms */
/** @typedef {import("./game.js").Session} Session */
/** @typedef {{verb: string, card: string | null, how: string | null}} Parts */

const KEY_OF = { weapon: "W", barehanded: "B", equip: "E", drink: "P", draw: "D", avoid: "A" };

/** Read an action's text: `fight:KS:weapon`. @param {string} action @returns {Parts} */
export function parts(action) {
  const [verb = "", card = null, how = null] = action.split(":");
  return { verb, card, how };
}

/** What an action is filed under: its verb, or how it fights. @param {string} action */
export function manner(action) {
  const { verb, how } = parts(action);
  return /** @type {keyof typeof KEY_OF} */ (how ?? verb);
}

/** The legal actions on a card; the weapon comes before the bare hands. @param {string[]} actions @param {string} card */
export function actionsOn(actions, card) {
  return actions
    .filter((action) => parts(action).card === card)
    .sort((a, b) => Number(manner(b) === "weapon") - Number(manner(a) === "weapon"));
}

/** @param {LegalAction | undefined} effect @param {string} action @param {Terms} terms */
export function outcome(effect, action, terms) {
  if (!effect) {
    return "";
  }
  if (effect.deadly) {
    return `−${effect.damage} ${terms.health}: this kills you`;
  }
  if (effect.damage) {
    return `−${effect.damage} ${terms.health}, ${effect.health_after} left`;
  }
  if (effect.healed) {
    return `+${effect.healed} ${terms.health}, ${effect.health_after} then`;
  }
  return { fight: "No damage", drink: "Heals nothing now" }[parts(action).verb] ?? "";
}

/** In a few signs, for below a card. @param {string} action @param {LegalAction | undefined} effect */
export function hint(action, effect) {
  const how = manner(action);
  const change = how === "equip" ? "equip" : !effect ? "" : effect.damage ? `−${effect.damage}` : effect.healed ? `+${effect.healed}` : "0";
  const tone = effect?.deadly ? "deadly" : effect?.damage ? "worse" : effect?.healed ? "better" : "even";
  return h("span", { class: `hint ${tone}` }, icon(effect?.deadly ? "deadly" : how), change);
}

/**
 * The panel with the choices. A button stays the same one as long as its choice is there, so that a
 * click on it is never lost, whatever becomes known meanwhile.
 */
export class ChoicePanel {
  #shown = "";
  /** @type {Map<string, HTMLButtonElement>} */
  #buttons = new Map();

  /**
   * @param {Session} session
   * @param {Terms} terms
   * @param {{act: (action: string) => void, deselect: () => void, preview: (effect: LegalAction | null) => void}} on
   */
  constructor(session, terms, on) {
    this.session = session;
    this.terms = terms;
    this.on = on;
    this.element = h("div", { class: "choice", role: "group", "aria-label": "What you can do" });
  }

  /** @param {string | null} selected */
  update(selected) {
    const { game, watching } = this.session;
    if (!game) {
      return;
    }
    this.element.hidden = game.status !== "playing";
    const listed = selected ? actionsOn(game.actions, selected) : game.actions.filter((action) => !parts(action).card);
    const shown = JSON.stringify([game.version, selected, listed, watching]);
    if (shown !== this.#shown) {
      this.#shown = shown;
      this.#buttons = new Map(listed.map((action) => [action, this.#button(action)]));
      put(this.element, ...this.#about(selected), h("div", { class: "buttons" }, ...this.#buttons.values()));
    }
    for (const [action, button] of this.#buttons) {
      this.#tell(action, button);
    }
  }

  /** Give a choice the focus. @param {string} [action] without one, the first that is not deadly */
  focus(action) {
    const buttons = [...this.#buttons.values()];
    const wanted = action ? this.#buttons.get(action) : (buttons.find((button) => !button.classList.contains("deadly")) ?? buttons[0]);
    wanted?.focus();
  }

  /** @param {string | null} selected */
  #about(selected) {
    const { game, watching } = this.session;
    const draws = game?.actions.includes("draw");
    const watched = watching && h("p", { class: "watching" }, "This game is locked: only the browser that began it can play. Here you can watch.");
    if (selected) {
      const other = h("button", { type: "button", class: "link other", click: this.on.deselect }, "Back");
      return [h("div", { class: "about" }, h("h2", {}, subject(selected)), other), watched];
    }
    return watching
      ? [watched]
      : [h("h2", {}, draws ? "The room fills up" : "Face a card"), !draws && h("p", { class: "prompt" }, "Choose one in the room above.")];
  }

  /** @param {string} action */
  #button(action) {
    const how = manner(action);
    const show = () => this.on.preview(this.session.effects.get(action) ?? null);
    const hide = () => this.on.preview(null);
    return h(
      "button",
      {
        type: "button",
        class: `act act-${how}`,
        "data-action": action,
        "aria-keyshortcuts": KEY_OF[how] ?? null,
        click: () => this.session.allows(action) && this.on.act(action),
        focus: show, blur: hide, pointerenter: show, pointerleave: hide,
      },
      icon(how),
      h("span", { class: "label" }, label(this.session, action, this.terms)),
      h("span", { class: "outcome" }),
      h("kbd", { "aria-hidden": "true" }, KEY_OF[how] ?? ""),
    );
  }

  /** Say what is known of a choice by now. @param {string} action @param {HTMLButtonElement} button */
  #tell(action, button) {
    const effect = this.session.effects.get(action);
    const what = button.querySelector(".outcome");
    if (what) {
      what.textContent = outcome(effect, action, this.terms);
    }
    if (effect?.deadly && !button.classList.contains("deadly")) {
      button.classList.add("deadly");
      button.querySelector(".icon")?.replaceWith(icon("deadly"));
    }
    button.ariaDisabled = this.session.allows(action) ? null : "true";
  }
}

/** @param {string} card */
function subject(card) {
  const kind = kindOf(card);
  const strength = { monster: "strength", weapon: "strength", potion: "worth" }[kind];
  return h(
    "span", {},
    h("span", { class: "subject" }, capital(figureOf(card))), " ",
    h("span", { class: "detail" }, h("span", { "aria-hidden": "true" }, signOf(card)), h("span", { class: "unseen" }, nameOf(card)), `, ${strength} ${valueOf(card)}`),
  );
}

/** @param {Session} session @param {string} action @param {Terms} terms */
function label(session, action, terms) {
  const { verb, card } = parts(action);
  switch (manner(action)) {
    case "weapon":
      return `Use the ${session.game?.weapon ? figureOf(session.game.weapon.card) : "weapon"}`;
    case "barehanded":
      return "Fight barehanded";
    case "equip":
      return `Equip the ${figureOf(card ?? "")}`;
    case "drink":
      return "Drink it";
    case "draw":
      return "Draw a card";
    case "avoid":
      return `${capital(terms.to_avoid)} this room`;
    default:
      return capital(verb); // an action that came later than this page
  }
}
