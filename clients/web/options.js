/** The options of the rules, in the words of the start screen. The contract says which there are. */

/** @typedef {import("./api.js").Options} Options */
/** @typedef {{[Name in keyof Options]: {label: string, values: Options[Name] extends number ? [number, number] : {[Value in Extract<Options[Name], string>]: string}}}} Table */

/** @type {Table} */
export const OPTIONS = {
  health: { label: "Health at the start, and at most", values: [1, 99] },
  degradation: {
    label: "A used weapon still works on",
    values: { lower_or_equal: "weaker or equal monsters", lower: "weaker monsters only" },
  },
  avoid_order: {
    label: "An avoided room goes under",
    values: { kept: "in its order", shuffled: "shuffled" },
  },
  avoiding: {
    label: "Rooms may be avoided",
    values: { not_twice: "but not two in a row", never: "never", always: "always" },
  },
  draw: {
    label: "Cards turn up",
    values: { auto: "by themselves", manual: "one by one, by hand" },
  },
  potions_per_turn: { label: "Potions that heal in a turn", values: [0, 4] },
  leave: { label: "Cards that may be left at the end", values: [0, 2] },
  bonus: {
    label: "A last potion adds its value",
    values: {
      full_after: "if health is full after it", full_before: "if health was full before it", none: "never",
    },
  },
  loss_counts: {
    label: "A loss counts the monsters",
    values: { dungeon: "in the dungeon", dungeon_and_room: "in the dungeon and in the room" },
  },
  overkill: {
    label: "Health below zero",
    values: { counted: "counts in a lost game", ignored: "counts as zero" },
  },
};

/** @typedef {keyof Options} OptionName */

/** @type {OptionName[]} */
export const NAMES = /** @type {OptionName[]} */ (Object.keys(OPTIONS));

/** A value in words. @param {OptionName} name @param {string | number} value */
export function say(name, value) {
  const { values } = OPTIONS[name];
  return Array.isArray(values)
    ? String(value)
    : (/** @type {Record<string, string>} */ (values)[String(value)] ?? String(value));
}

/** The options that differ. @param {Options} these @param {Options} those */
export function differing(these, those) {
  return NAMES.filter((name) => these[name] !== those[name]);
}
