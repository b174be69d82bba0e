/** The legal actions to choose from, with their effects. */

import { h, put } from "./dom.js";
import { icon } from "./figures.js";
import { capital, figureOf, kindOf, nameOf, signOf, valueOf } from "./names.js";

/** @typedef {import("./api.js").LegalAction} LegalAction */
/** @typedef {import("./api.js").Schemas["Terms"]} Terms */
/** @typedef {import("./game.js").Session} Session */
/** @typedef {{verb: string, card: string | null, how: string | null}} Action */

const KEY_OF = { weapon: "W", barehanded: "B", equip: "E", drink: "P", draw: "D", avoid: "A" };

/** Parse an action: `fight:KS:weapon`. @param {string} action @returns {Action} */
export function parseAction(action) {
  const [verb = "", card = null, how = null] = action.split(":");
  return { verb, card, how };
}

/** The kind of an action: its verb, or for a fight `weapon` or `barehanded`. @param {string} action */
export function kindOfAction(action) {
  const { verb, how } = parseAction(action);
  return /** @type {keyof typeof KEY_OF} */ (how ?? verb);
}

/** The legal actions on a card, a fight with the weapon first. @param {string[]} actions @param {string} card */
export function actionsOn(actions, card) {
  return actions
    .filter((action) => parseAction(action).card === card)
    .sort((a, b) => Number(kindOfAction(b) === "weapon") - Number(kindOfAction(a) === "weapon"));
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
    return `+${effect.healed} ${terms.health}, ${effect.health_after} total`;
  }
  return { fight: "No damage", drink: "Heals nothing now" }[parseAction(action).verb] ?? "";
}

/** The short form of an effect, shown below the card. @param {string} action @param {LegalAction | undefined} effect */
export function hint(action, effect) {
  const how = kindOfAction(action);
  const change = how === "equip" ? "equip" : !effect ? "" : effect.damage ? `−${effect.damage}` : effect.healed ? `+${effect.healed}` : "0";
  const tone = effect?.deadly ? "deadly" : effect?.damage ? "worse" : effect?.healed ? "better" : "even";
  return h("span", { class: `hint ${tone}` }, icon(effect?.deadly ? "deadly" : how), change);
}

/**
 * The panel with the choices. A button is kept for as long as its action is listed, so that an
 * update never loses a click.
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
    this.element = h("div", { class: "choice", role: "group", "aria-label": "Actions" });
  }

  /** @param {string | null} selected */
  update(selected) {
    const { game, watching } = this.session;
    if (!game) {
      return;
    }
    this.element.hidden = game.status !== "playing";
    const listed = selected ? actionsOn(game.actions, selected) : game.actions.filter((action) => !parseAction(action).card);
    const shown = JSON.stringify([game.version, selected, listed, watching]);
    if (shown !== this.#shown) {
      this.#shown = shown;
      this.#buttons = new Map(listed.map((action) => [action, this.#button(action)]));
      put(this.element, ...this.#heading(selected), h("div", { class: "buttons" }, ...this.#buttons.values()));
    }
    for (const [action, button] of this.#buttons) {
      this.#updateButton(action, button);
    }
  }

  /** Focus the button of an action, by default the first that is not deadly. @param {string} [action] */
  focus(action) {
    const buttons = [...this.#buttons.values()];
    const button = action ? this.#buttons.get(action) : (buttons.find(({ classList }) => !classList.contains("deadly")) ?? buttons[0]);
    button?.focus();
  }

  /** @param {string | null} selected */
  #heading(selected) {
    const { game, watching } = this.session;
    const draws = game?.actions.includes("draw");
    const locked = watching && h("p", { class: "watching" }, "This game is locked: only the browser that started it can play. You can watch here.");
    if (selected) {
      const back = h("button", { type: "button", class: "link other", click: this.on.deselect }, "Back");
      return [h("div", { class: "about" }, h("h2", {}, subject(selected)), back), locked];
    }
    return watching
      ? [locked]
      : [h("h2", {}, draws ? "The room fills up" : "Face a card"), !draws && h("p", { class: "prompt" }, "Choose one in the room above.")];
  }

  /** @param {string} action */
  #button(action) {
    const how = kindOfAction(action);
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

  /** Update the effect and the state of a button. @param {string} action @param {HTMLButtonElement} button */
  #updateButton(action, button) {
    const effect = this.session.effects.get(action);
    const text = button.querySelector(".outcome");
    if (text) {
      text.textContent = outcome(effect, action, this.terms);
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
  const { verb, card } = parseAction(action);
  switch (kindOfAction(action)) {
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
      return capital(verb); // an action added to the API after this page
  }
}
