/**
 * The drawings on the cards, each in a square of 100. A path `half` is drawn on the left and mirrored
 * to the right; a path `whole` is drawn as it is.
 */

import { svg } from "./dom.js";

/** `below`: clip everything above this height. @typedef {{paint: string, half?: string, whole?: string, below?: number}} Stroke */

const DARK = "dark", BODY = "body", MID = "mid", EYE = "eye", LINE = "line", GOLD = "gold",
  STEEL = "steel", EDGE = "edge", WOOD = "wood", GLASS = "glass", LIQUID = "liquid", SHINE = "shine";

/** A circle as a path. @param {number} x @param {number} y @param {number} r @param {number} [ry] */
function dot(x, y, r, ry = r) {
  return `M${x - r} ${y}a${r} ${ry} 0 1 0 ${2 * r} 0a${r} ${ry} 0 1 0 ${-2 * r} 0Z`;
}

/** @type {Record<string, Stroke[]>} */
const MONSTERS = {
  2: [ // rat
    { paint: BODY, half: dot(25, 33, 16) },
    { paint: DARK, half: dot(25, 34, 9.5) },
    { paint: BODY, half: "M46 80L45.5 93H50V80Z" },
    { paint: BODY, half: "M50 24C32 24 22 38 26 54C30 70 42 82 50 86Z" },
    { paint: EYE, half: dot(38, 52, 4.5) },
    { paint: DARK, whole: dot(50, 80, 6, 4.5) },
    { paint: LINE, half: "M41 72L14 64M41 76L12 76M42 80L16 88" },
  ],
  3: [ // bat
    { paint: BODY, half: "M50 42L43 20L38 40C36 44 35 46 33 44L29 24C14 29 3 44 2 66C8 58 15 58 20 66C24 58 30 59 34 68C38 61 44 63 50 78Z" },
    { paint: DARK, half: "M30 30L27 56L20 62L28 58L33 63L34 46Z" },
    { paint: EYE, half: dot(45.5, 46, 3.2) },
    { paint: DARK, half: "M50 55L43 55L45.5 63L48 57H50Z" },
  ],
  4: [ // spider
    { paint: "legs", half: "M43 42L26 22L13 32M40 48L19 40L5 55M40 56L18 60L8 80M42 64L27 74L23 95" },
    { paint: BODY, whole: dot(50, 65, 20, 23) },
    { paint: BODY, whole: dot(50, 40, 12) },
    { paint: DARK, half: "M50 54H42L49 65L42 76H50Z" },
    { paint: EYE, half: dot(45.5, 38, 2.8) },
    { paint: EYE, half: dot(41.5, 43.5, 1.8) },
    { paint: DARK, half: "M50 48L46 49L47.5 56L50 51Z" },
  ],
  5: [ // serpent
    { paint: BODY, half: "M50 8C31 8 15 26 16 46C17 60 30 66 37 74C31 78 27 86 27 94H50Z" },
    { paint: MID, half: "M50 22C43 22 37 28 38 38C39 46 45 51 50 53Z" },
    { paint: DARK, half: "M50 60L39 56L41 62L50 66ZM50 72L42 69L43 75L50 78ZM50 84L41 82L40 88L50 90Z" },
    { paint: DARK, half: "M32 24C24 32 22 42 26 52C28 42 29 34 32 24Z" },
    { paint: EYE, half: "M40 32L48 37L42 40Z" },
    { paint: "blood", half: "M49 48H50V66L44 73L48.5 64Z" },
  ],
  6: [ // ghost
    { paint: BODY, half: "M50 6C29 6 18 24 18 46L14 62L19 62L16 92L26 82L33 95L42 84L50 94Z" },
    { paint: DARK, half: "M36 32C44 32 46 40 44 50C40 54 32 52 31 44C31 38 33 32 36 32Z" },
    { paint: EYE, half: dot(38.5, 44, 3.4) },
    { paint: DARK, whole: dot(50, 66, 6.5, 10) },
  ],
  7: [ // goblin
    { paint: BODY, half: "M50 20C36 20 30 30 29 40L1 26C5 48 16 58 29 60C31 76 41 90 50 92Z" },
    { paint: DARK, half: "M25 44L10 36C13 46 18 52 26 54Z" },
    { paint: EYE, half: "M32 44L47 52C46 59 34 58 32 44Z" },
    { paint: DARK, half: "M50 50C46 60 42 64 44 68L50 70Z" },
    { paint: DARK, half: "M50 76C44 77 38 74 35 70C36 80 44 85 50 85Z" },
    { paint: BODY, half: "M39 75L42 67L45 77Z" },
  ],
  8: [ // wolf
    { paint: BODY, half: "M50 30L42 27L28 2L22 34C16 44 14 56 6 64L20 64L18 74L30 73L31 82L38 80C41 90 46 96 50 97Z" },
    { paint: DARK, half: "M29 14L26 34L36 30Z" },
    { paint: MID, half: "M50 46L43 62C38 70 41 84 50 90Z" },
    { paint: EYE, half: "M27 46L44 55L34 58Z" },
    { paint: DARK, half: "M50 74H42C42 80 46 84 50 85Z" },
    { paint: DARK, half: "M50 30L47 44L50 48Z" },
  ],
  9: [ // skeleton
    { paint: BODY, half: "M50 6C23 6 12 24 15 46C16 56 24 60 27 64L28 76H50Z" },
    { paint: BODY, half: "M28 80C30 93 40 97 50 97V80L42 82Z" },
    { paint: DARK, half: "M24 42C30 36 42 38 44 46C44 56 38 60 32 59C25 57 22 50 24 42Z" },
    { paint: EYE, half: dot(34.5, 49, 3.8) },
    { paint: DARK, half: "M50 56L44 67L50 66Z" },
    { paint: LINE, half: "M36 68V77M43 70V78M50 70V78M37 82V89M43.5 83V91M50 83V91" },
  ],
  T: [ // minotaur
    { paint: MID, half: "M42 34C24 36 9 26 8 2C-3 24 4 46 28 50Z" },
    { paint: BODY, half: "M50 26C36 26 29 36 28 48L12 52L27 61C29 72 34 76 34 84C37 92 44 95 50 95Z" },
    { paint: DARK, half: "M50 28L44 40L50 46Z" },
    { paint: EYE, half: "M31 47L46 56L35 60Z" },
    { paint: DARK, half: dot(42.5, 81, 4, 3) },
    { paint: "ring", whole: "M43 88a7 7 0 1 0 14 0" },
  ],
  J: [ // fallen knight
    { paint: "blood", half: "M50 10C48 2 40 -2 30 2C38 4 40 8 42 14L50 16Z" },
    { paint: BODY, half: "M50 10C30 12 21 26 21 44L24 74L42 93L50 97Z" },
    { paint: DARK, half: "M25 45L46 51V59L26 54Z" },
    { paint: EYE, half: "M31 48.5L42 52L40 55.5L32 53Z" },
    { paint: LINE, whole: "M50 14V96" },
    { paint: DARK, half: `${dot(42, 70, 2.4)}${dot(34, 68, 2.4)}${dot(42, 79, 2.4)}${dot(35, 77, 2.4)}` },
    { paint: LINE, half: "M22 38C32 34 42 34 50 36" },
  ],
  Q: [ // banshee
    { paint: MID, half: "M50 14C24 14 14 36 16 58C17 74 12 86 4 95C16 96 24 91 27 84L28 97L36 86L50 92Z" },
    { paint: BODY, half: "M50 26C36 26 31 38 32 52C33 68 42 82 50 86Z" },
    { paint: DARK, half: "M36 44C42 42 46 46 46 51C44 57 37 57 35 53Z" },
    { paint: EYE, half: dot(41, 50, 3) },
    { paint: DARK, whole: dot(50, 70, 6, 9.5) },
    { paint: GOLD, half: "M50 28V4L43 17L36 6L34 20L25 13L29 32C36 27 43 26 50 28Z" },
  ],
  K: [ // lich king
    { paint: BODY, half: "M50 24C30 24 19 36 21 52C22 61 29 64 31 68L32 80H50Z" },
    { paint: BODY, half: "M32 84C34 94 42 97 50 97V84L43 86Z" },
    { paint: DARK, half: "M27 48C33 43 43 45 45 52C44 60 40 63 34 62C28 60 26 55 27 48Z" },
    { paint: EYE, half: dot(36, 54, 3.6) },
    { paint: DARK, half: "M50 61L45 70L50 69Z" },
    { paint: LINE, half: "M38 72V80M44 74V81M50 74V81M43.5 87V93M50 87V93" },
    { paint: GOLD, half: "M50 34V2L41 19L34 3L29 21L14 8L20 40C29 34 40 33 50 34Z" },
    { paint: "blood", whole: dot(50, 25, 4, 5) },
  ],
  A: [ // dragon
    { paint: MID, half: "M41 26C36 14 24 4 6 1C12 16 16 30 28 40Z" },
    { paint: BODY, half: "M50 16C41 18 31 26 27 38L8 36L20 48L4 54L19 60L10 70L28 70C31 78 34 84 36 92L42 88L45 97H50Z" },
    { paint: DARK, half: "M50 18L46 34L50 40Z" },
    { paint: EYE, half: "M28 46L46 57L35 61Z" },
    { paint: DARK, half: "M41 78L47 80L44 85Z" },
    { paint: LINE, half: "M32 70C38 66 42 70 43 74M50 48V72" },
  ],
};

/** A sword: the top of its point, half its width, the top of its hilt, half the width of its guard. */
function sword(
  /** @type {number} */ top, /** @type {number} */ breadth,
  /** @type {number} */ hilt, /** @type {number} */ guard,
) {
  const shoulder = top + breadth * 2.2;
  return [
    { paint: STEEL, half: `M50 ${top}L${50 - breadth} ${shoulder}L${50 - breadth * 0.85} ${hilt}H50Z` },
    { paint: EDGE, whole: `M50 ${top}L${50 + breadth} ${shoulder}L${50 + breadth * 0.85} ${hilt}H50Z` },
    { paint: WOOD, half: `M46 ${hilt}H50V93H46.5Z` },
    { paint: GOLD, half: `M50 ${hilt - 4}H${50 - guard}L${46 - guard} ${hilt + 1}L${50 - guard} ${hilt + 4}H50Z` },
    { paint: GOLD, whole: dot(50, 94, 5) },
  ];
}

const SHAFT = { paint: WOOD, half: "M46.8 12H50V98H46.4Z" };

/** @type {Record<string, Stroke[]>} */
const WEAPONS = {
  2: sword(36, 7, 72, 13),
  3: [ // cudgel
    { paint: WOOD, half: "M50 4C40 5 36 16 39 30C41 44 44 60 45 96H50Z" },
    { paint: STEEL, half: `${dot(43.5, 18, 3)}${dot(44.5, 34, 2.6)}` },
    { paint: STEEL, whole: `${dot(50, 11, 3)}${dot(50, 26, 3)}${dot(50, 42, 2.4)}` },
    { paint: EDGE, half: "M44.8 80H50V84H44.8ZM44.8 88H50V92H44.8Z" },
  ],
  4: [ // hatchet
    SHAFT,
    { paint: STEEL, whole: "M53 18L76 8C86 24 86 44 76 58L53 44Z" },
    { paint: EDGE, whole: "M76 8C86 24 86 44 76 58L73 54C79 42 79 24 73 11Z" },
    { paint: STEEL, whole: "M47 22L36 26V38L47 42Z" },
    { paint: GOLD, whole: "M45 18H55V44H45Z" },
  ],
  5: sword(16, 8, 70, 18),
  6: [ // mace
    SHAFT,
    { paint: EDGE, half: "M50 -2L45 12H50ZM50 60L45 46H50ZM18 28L34 22V36ZM27 6L41 14L33 22ZM27 52L41 44L33 36Z" },
    { paint: STEEL, whole: dot(50, 29, 19) },
    { paint: EDGE, whole: "M50 10a19 19 0 0 1 0 38Z" },
    { paint: GOLD, half: "M45 50H50V56H45ZM45 86H50V92H45Z" },
  ],
  7: [ // spear
    SHAFT,
    { paint: STEEL, half: "M50 -2L38 22L45 38H50Z" },
    { paint: EDGE, whole: "M50 -2L62 22L55 38H50Z" },
    { paint: GOLD, half: "M44 38H50V44H44Z" },
    { paint: "blood", half: "M44.5 46H50V50L40 66L43 52Z" },
  ],
  8: [ // battle axe
    SHAFT,
    { paint: STEEL, half: "M50 20H45C38 10 24 4 11 6C2 22 2 42 11 58C26 58 38 52 45 44H50Z" },
    { paint: EDGE, half: "M11 6C2 22 2 42 11 58L16 56C9 42 9 22 16 8Z" },
    { paint: GOLD, half: "M43 16H50V48H43Z" },
    { paint: STEEL, half: "M50 -2L45 16H50Z" },
  ],
  9: sword(0, 8, 70, 24),
  T: [ // great sword
    { paint: STEEL, half: "M50 -4L38 12L42 22L37 32L42 42L38 52L41 62V68H50Z" },
    { paint: EDGE, whole: "M50 -4L62 12L58 22L63 32L58 42L62 52L59 62V68H50Z" },
    { paint: LINE, whole: "M50 12V66" },
    { paint: WOOD, half: "M46 68H50V92H46Z" },
    { paint: GOLD, half: "M50 62C40 66 30 66 20 58C20 70 32 76 50 74Z" },
    { paint: "blood", whole: dot(50, 68, 5) },
    { paint: GOLD, whole: dot(50, 94, 6) },
  ],
};

/** The outlines of the three bottles (left half), and the lowest and highest level of their liquid. */
const BOTTLES = [
  { neck: "M43 22H50V94H46C39 94 36 90 36 84V44C36 38 43 38 43 30Z", low: 90, high: 44, cork: "M44 10H50V24H44Z", rim: "M40 22H50V27H40Z" },
  { neck: "M43 18H50V96C28 96 16 84 16 66C16 50 28 42 43 38Z", low: 92, high: 46, cork: "M44 4H50V20H44Z", rim: "M39 18H50V24H39Z" },
  { neck: "M42 18H50V97H36C22 92 10 70 14 54C18 40 34 46 42 36Z", low: 93, high: 44, cork: "M43 2H50V20H43Z", rim: "M37 18H50V24H37Z" },
];

/** @param {string} rank @returns {Stroke[]} */
function potion(rank) {
  const value = rank === "T" ? 10 : Number(rank);
  const size = Math.floor((value - 2) / 3);
  const bottle = /** @type {typeof BOTTLES[0]} */ (BOTTLES[size]);
  const fullness = ((value - 2) % 3 + 1) / 3;
  const level = bottle.low - (bottle.low - bottle.high) * fullness;
  const bubbles = Array.from({ length: value }, (_, i) => {
    const across = [0, 9, -8, 4, -4, 12, -12, 7, -7, 1][i] ?? 0;
    const up = 86 - ((i * 17) % Math.max(6, 84 - level));
    return dot(50 + across * (0.6 + size * 0.4), up, 1.4 + (i % 3) * 0.7);
  });
  return [
    { paint: GLASS, half: bottle.neck },
    { paint: LIQUID, half: bottle.neck, below: Math.round(level) },
    { paint: SHINE, whole: bubbles.join("") },
    { paint: "outline", half: bottle.neck.replace("H50V", "M50 ").replace(/Z$/, "") },
    { paint: WOOD, half: bottle.cork },
    { paint: GOLD, half: bottle.rim },
    ...(size === 2 ? [{ paint: GOLD, whole: "M50 56L44 50C40 46 44 41 50 46C56 41 60 46 56 50Z" }] : []),
  ];
}

/**
 * Draw a card's figure.
 * @param {string} code
 * @returns {SVGGElement}
 */
export function figure(code) {
  const rank = code.slice(0, 1), suit = code.slice(1);
  const strokes = suit === "H" ? potion(rank) : (suit === "D" ? WEAPONS : MONSTERS)[rank] ?? [];
  return svg("g", { class: "figure" }, ...strokes.flatMap(draw));
}

/** @param {Stroke} stroke @returns {SVGElement[]} */
function draw({ paint, half, whole, below }) {
  if (below !== undefined) {
    const rest = 100 - below;
    const frame = { x: 0, y: below, width: 100, height: rest, viewBox: `0 ${below} 100 ${rest}` };
    return [svg("svg", frame, ...draw({ paint, half, whole }))];
  }
  if (whole) {
    return [svg("path", { class: paint, d: whole })];
  }
  return [
    svg("path", { class: paint, d: half }),
    svg("path", { class: paint, d: half, transform: "matrix(-1 0 0 1 100 0)" }),
  ];
}

/** @type {Record<string, string>} */
const SUIT_PATHS = {
  H: "M50 92C18 64 6 48 6 31C6 16 17 8 29 8C38 8 46 13 50 21C54 13 62 8 71 8C83 8 94 16 94 31C94 48 82 64 50 92Z",
  D: "M50 2C58 20 70 36 86 50C70 64 58 80 50 98C42 80 30 64 14 50C30 36 42 20 50 2Z",
  S: "M50 4C62 25 92 40 92 63C92 76 82 83 71 83C64 83 58 80 54 75C55 85 58 91 65 97H35C42 91 45 85 46 75C42 80 36 83 29 83C18 83 8 76 8 63C8 40 38 25 50 4Z",
  C: "M50 4A21 21 0 0 1 66 39A22 22 0 1 1 55 71C56 84 60 91 66 97H34C40 91 44 84 45 71A22 22 0 1 1 34 39A21 21 0 0 1 50 4Z",
};

/** The symbol of a card's suit as a path. @param {string} code */
export function suitPath(code) {
  return SUIT_PATHS[code.slice(1)] ?? "";
}

/** Icons of the actions. @type {Record<string, string>} */
export const ICONS = {
  weapon: "M86 6L94 14L52 62L60 70L54 76L44 66L20 90C16 94 6 84 10 80L34 56L24 46L30 40L38 48Z",
  barehanded: "M22 46V32C22 24 32 24 33 31C34 22 46 22 47 30C48 22 60 22 61 31C62 25 72 25 72 33V46L80 40C88 35 94 44 88 51L72 72V92H30V74C24 68 22 62 22 52Z",
  drink: "M40 6H60V12H57V34C72 42 82 54 82 68C82 84 68 94 50 94C32 94 18 84 18 68C18 54 28 42 43 34V12H40Z",
  equip: "M50 4L88 18V46C88 70 72 86 50 96C28 86 12 70 12 46V18Z",
  deadly: "M50 6C24 6 10 24 12 46C13 56 22 60 25 64L26 78H38V92H62V78H74L75 64C78 60 87 56 88 46C90 24 76 6 50 6ZM34 38A10 10 0 1 1 34 58A10 10 0 1 1 34 38ZM66 38A10 10 0 1 1 66 58A10 10 0 1 1 66 38ZM50 58L55 70H45Z",
  avoid: "M8 50L40 20V38C66 38 86 52 92 80C80 64 64 60 40 62V80Z",
  draw: "M50 96L14 56H36V6H64V56H86Z",
  health: "M50 92C18 64 6 48 6 31C6 16 17 8 29 8C38 8 46 13 50 21C54 13 62 8 71 8C83 8 94 16 94 31C94 48 82 64 50 92Z",
};

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  return svg(
    "svg", { viewBox: "0 0 100 100", class: `icon icon-${name}`, "aria-hidden": "true" },
    svg("path", { d: ICONS[name] ?? "", "fill-rule": "evenodd" }),
  );
}
