/** The keyboard shortcuts. A key works only while its action is possible. */

/** @typedef {"left" | "right" | "select" | "deselect" | "weapon" | "barehanded" | "avoid" | "equip" | "draw" | "drink" | "rules" | "ledger" | "link"} Intent */

/** Key, label, intent and description. @type {[string, string, Intent, string][]} */
export const KEYS = [
  ["ArrowLeft", "←", "left", "Go to the card on the left"],
  ["ArrowRight", "→", "right", "Go to the card on the right"],
  ["Enter", "Enter", "select", "Select the card"],
  ["Escape", "Esc", "deselect", "Deselect it"],
  ["w", "W", "weapon", "Fight with the weapon"],
  ["b", "B", "barehanded", "Fight barehanded"],
  ["e", "E", "equip", "Equip the weapon"],
  ["p", "P", "drink", "Drink the potion"],
  ["d", "D", "draw", "Draw a card"],
  ["a", "A", "avoid", "Avoid the room"],
  ["?", "?", "rules", "Rules"],
  ["l", "L", "ledger", "The Gravekeeper’s Ledger"],
  ["c", "C", "link", "Copy the link"],
];

const BY_KEY = new Map(KEYS.map(([key, , intent]) => [key, intent]));

/**
 * Call `handle` for each shortcut; it returns whether it did anything.
 * @param {(intent: Intent, event: KeyboardEvent) => boolean} handle
 */
export function listen(handle) {
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) {
      return;
    }
    const intent = BY_KEY.get(event.key.length === 1 ? event.key.toLowerCase() : event.key);
    if (intent && !(event.repeat && intent !== "left" && intent !== "right") && handle(intent, event)) {
      event.preventDefault();
    }
  });
}
