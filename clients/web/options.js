/** The labels of the options and their values. The contract defines the options. */

/** @typedef {import("./api.js").Options} Options */
/** @typedef {{[Name in keyof Options]: {label: string, values: Options[Name] extends number ? [number, number] : {[Value in Extract<Options[Name], string>]: string}}}} Table */

/** @type {Table} */
export const OPTIONS = {
  health: { label: "Starting and maximum health", values: [1, 99] },
  degradation: {
    label: "A used weapon still works on",
    values: { lower_or_equal: "weaker or equal monsters", lower: "weaker monsters only" },
  },
  avoid_order: {
    label: "The cards of an avoided room",
    values: { kept: "keep their order", shuffled: "are shuffled" },
  },
  avoiding: {
    label: "Rooms may be avoided",
    values: { not_twice: "but not two in a row", never: "never", always: "always" },
  },
  draw: {
    label: "Cards are drawn",
    values: { auto: "automatically", manual: "one by one, by hand" },
  },
  potions_per_turn: { label: "Potions that heal per turn", values: [0, 4] },
  leave: { label: "Cards that may be left at the end", values: [0, 2] },
  bonus: {
    label: "The last potion adds its value",
    values: {
      full_after: "if health is full after it", full_before: "if health was full before it", none: "never",
    },
  },
  loss_counts: {
    label: "A lost game counts the monsters",
    values: { dungeon: "in the dungeon", dungeon_and_room: "in the dungeon and in the room" },
  },
  overkill: {
    label: "Health below zero",
    values: { counted: "counts in a lost game", ignored: "counts as zero" },
  },
};

/** @typedef {keyof Options} OptionName */

/** @type {OptionName[]} */
export const OPTION_NAMES = /** @type {OptionName[]} */ (Object.keys(OPTIONS));

/** The label of a value. @param {OptionName} name @param {string | number} value */
export function valueLabel(name, value) {
  const { values } = OPTIONS[name];
  return Array.isArray(values)
    ? String(value)
    : (/** @type {Record<string, string>} */ (values)[String(value)] ?? String(value));
}

/** The names of the options that differ. @param {Options} one @param {Options} other */
export function differences(one, other) {
  return OPTION_NAMES.filter((name) => one[name] !== other[name]);
}
