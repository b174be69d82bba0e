/** The start screen: continue a game, or start a new one. */

import { ApiError, retryReason } from "./api.js";
import { back, face } from "./cards.js";
import { h, put } from "./dom.js";
import { formatNumber } from "./names.js";
import { OPTION_NAMES, OPTIONS, valueLabel } from "./options.js";
import * as runs from "./runs.js";

/** @typedef {import("./api.js").NewGame} NewGame */
/** @typedef {import("./api.js").Ruleset} Ruleset */
/** @typedef {import("./options.js").OptionName} OptionName */

/**
 * @param {Ruleset[]} rulesets
 * @param {{begin: (game: NewGame) => Promise<void>, resume: (id: string) => void, showRules: (ruleset: string) => void, showRuns: () => void}} on
 */
export function startScreen(rulesets, on) {
  const chosen = runs.choices();
  const selected = rulesets.some(({ ruleset }) => ruleset === chosen.ruleset) ? chosen.ruleset : rulesets[0]?.ruleset;
  const alert = h("p", { class: "trouble", role: "alert", id: "trouble", hidden: true });
  const submit = h("button", { type: "submit", class: "primary" }, "Enter the dungeon");
  const custom = h("div", { class: "options" });
  const name = h("input", {
    id: "player", name: "player", maxlength: 24, autocomplete: "nickname", spellcheck: "false",
    value: chosen.player ?? "", placeholder: "Nameless", "aria-describedby": "trouble",
  });
  const seed = h("input", {
    id: "seed", name: "seed", maxlength: 64, autocomplete: "off", autocapitalize: "off",
    spellcheck: "false", pattern: "[A-Za-z0-9._~\\-]*", "aria-describedby": "seed-note trouble",
    title: "Letters, digits and . _ ~ -",
  });
  const locked = h("input", { type: "checkbox", id: "locked", name: "locked" });
  const radios = rulesets.map((ruleset) => rulesetChoice(ruleset, ruleset.ruleset === selected));
  const picked = () => {
    const radio = /** @type {HTMLInputElement | null} */ (form.querySelector("input[name=ruleset]:checked"));
    return rulesets.find(({ ruleset }) => ruleset === radio?.value) ?? rulesets[0];
  };
  const showOptions = () => put(custom, ...OPTION_NAMES.map((option) => optionField(option, picked()?.options[option])));

  const form = h(
    "form",
    {
      class: "begin", novalidate: true,
      submit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        if (submit.ariaDisabled === "true") {
          return;
        }
        alert.hidden = true;
        submit.ariaDisabled = "true";
        const ruleset = picked();
        const game = newGame(form, ruleset);
        runs.saveChoices({ player: name.value.trim(), ruleset: ruleset?.ruleset });
        try {
          await on.begin(game);
        } catch (error) {
          alert.textContent = messageOf(error);
          alert.hidden = false;
          fieldOf(form, error)?.focus();
        } finally {
          submit.ariaDisabled = null;
        }
      },
    },
    h("div", { class: "field" }, h("label", { for: "player" }, "Your name ", h("span", { class: "soft" }, "for the ledger")), name),
    h("fieldset", { class: "rulesets", change: showOptions }, h("legend", {}, "Rules"), ...radios),
    h(
      "details", {},
      h("summary", {}, "House rules, seed and lock"),
      h("div", { class: "field" },
        h("label", { for: "seed" }, "Seed"), seed,
        h("p", { class: "soft", id: "seed-note" }, "Games with the same seed have the same deck. Leave it empty for a random deck.")),
      h("div", { class: "check" }, locked, h("label", { for: "locked" }, "Lock the game ", h("span", { class: "soft" }, "so that others can only watch it"))),
      h("h2", { class: "house-rules" }, "House rules"),
      h("p", { class: "soft" }, "A game with any of these changed is a custom game and is not ranked in the ledger."),
      custom,
      h("button", { type: "button", class: "quiet small", click: () => on.showRules(picked()?.ruleset ?? "") }, "Read these rules"),
    ),
    alert,
    submit,
  );
  showOptions();

  return h(
    "section", { class: "start", "aria-labelledby": "title" },
    h(
      "div", { class: "hero" },
      h("div", { class: "spread", "aria-hidden": "true" }, ...["KS", "5D", "AC", "9H"].map((code) => h("span", { class: "lying" }, face(code))), h("span", { class: "lying" }, back())),
      h("h1", { id: "title" }, "Scoundrel"),
      h("p", { class: "lead" }, "One pack of cards, one dungeon, one life. Fight what you can, avoid what you must, and come out alive."),
    ),
    h("div", { class: "desk" }, earlierRuns(rulesets, on), form),
  );
}

/** @param {Ruleset[]} rulesets @param {{resume: (id: string) => void, showRuns: () => void}} on */
function earlierRuns(rulesets, on) {
  const last = runs.unfinished();
  const health = rulesets.find(({ ruleset }) => ruleset === last?.ruleset)?.terms.health ?? "health";
  const best = runs.best();
  if (!last && !best) {
    return null;
  }
  return h(
    "div", { class: "before" },
    last && h(
      "button", { type: "button", class: "continue", click: () => on.resume(last.id) },
      h("span", { class: "label" }, "Continue your last game"),
      h("span", { class: "outcome" }, `Turn ${last.turn}, ${last.health} ${health} left`),
    ),
    best && h("p", { class: "best" }, "Your best score: ", h("b", {}, formatNumber(best.score ?? 0)), " ",
      h("button", { type: "button", class: "link", click: on.showRuns }, "Your runs")),
  );
}

/** @param {Ruleset} ruleset @param {boolean} checked */
function rulesetChoice(ruleset, checked) {
  const id = `ruleset-${ruleset.ruleset}`;
  return h(
    "div", { class: "ruleset" },
    h("input", { type: "radio", name: "ruleset", id, value: ruleset.ruleset, checked, "aria-describedby": `${id}-note` }),
    h("label", { for: id }, h("span", { class: "title" }, ruleset.title), h("span", { class: "soft", id: `${id}-note` }, ruleset.summary)),
  );
}

/** @param {OptionName} option @param {string | number | undefined} selected */
function optionField(option, selected) {
  const { label, values } = OPTIONS[option];
  const id = `option-${option}`;
  const input = Array.isArray(values)
    ? h("input", { type: "number", id, name: option, min: values[0], max: values[1], value: selected ?? values[0], inputmode: "numeric" })
    : h("select", { id, name: option }, ...Object.keys(values).map((value) => h("option", { value, selected: value === selected }, valueLabel(option, value))));
  return h("div", { class: "field option" }, h("label", { for: id }, label), input);
}

/** The request of the form, with only the options that differ from the ruleset. @param {HTMLFormElement} form @param {Ruleset | undefined} ruleset */
function newGame(form, ruleset) {
  const data = new FormData(form);
  /** @type {Record<string, string | number>} */
  const options = {};
  for (const name of OPTION_NAMES) {
    const text = String(data.get(name) ?? "");
    const value = Array.isArray(OPTIONS[name].values) && text !== "" ? Number(text) : text;
    if (value !== "" && value !== ruleset?.options[name]) {
      options[name] = value;
    }
  }
  const player = String(data.get("player") ?? "").trim();
  const seed = String(data.get("seed") ?? "").trim();
  return /** @type {NewGame} */ ({
    ...(ruleset && { ruleset: ruleset.ruleset }),
    ...(Object.keys(options).length && { options }),
    ...(player && { player }),
    ...(seed && { seed }),
    ...(data.has("locked") && { locked: true }),
  });
}

/** @param {unknown} error */
function messageOf(error) {
  if (!(error instanceof ApiError)) {
    return "The server cannot be reached right now.";
  }
  if (retryReason(error)) {
    return "The server cannot start a game right now. Try again in a moment.";
  }
  const messages = (error.problem.errors ?? []).map(({ pointer, detail }) => `${labelOf(pointer)} ${detail}`);
  return messages.length ? `${messages.join(". ")}.` : error.message;
}

/** @param {string} pointer */
function labelOf(pointer) {
  const name = pointer.split("/").at(-1) ?? "";
  if (name in OPTIONS) {
    return `“${OPTIONS[/** @type {OptionName} */ (name)].label}”`;
  }
  return { player: "The name", seed: "The seed" }[name] ?? name;
}

/** @param {HTMLFormElement} form @param {unknown} error @returns {HTMLElement | null} */
function fieldOf(form, error) {
  const pointer = error instanceof ApiError ? error.problem.errors?.[0]?.pointer : null;
  const field = pointer ? form.elements.namedItem(pointer.split("/").at(-1) ?? "") : null;
  if (field instanceof HTMLElement) {
    const details = field.closest("details");
    if (details) {
      details.open = true;
    }
    return field;
  }
  return null;
}
