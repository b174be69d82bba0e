/** The faces and the back of the cards, drawn in SVG. */

import { h, svg } from "./dom.js";
import { figure, suitPath } from "./figures.js";
import { kindOf, rankOf, valueOf } from "./names.js";

const FRAME = "M22 34Q34 34 34 22H216Q216 34 228 34V316Q216 316 216 328H34Q34 316 22 316Z";

/**
 * The face of a card, without an accessible name.
 * @param {string} code
 * @returns {HTMLSpanElement}
 */
export function face(code) {
  const court = "JQKA".includes(code.slice(0, 1));
  return h(
    "span", { class: `face ${kindOf(code)} suit-${code.slice(1)}` },
    svg(
      "svg", { viewBox: "0 0 250 350", "aria-hidden": "true", focusable: "false" },
      svg("path", { class: "frame", d: FRAME }),
      svg("g", { transform: kindOf(code) === "weapon" ? "translate(46 118) rotate(16 79 92) scale(1.72 1.9)" : "translate(42 130) scale(1.72)" }, figure(code)),
      index(code),
      court
        ? svg(
            "g", { class: "worth" },
            svg("path", { d: "M206 268L238 280V304C238 324 224 338 206 346C188 338 174 324 174 304V280Z" }),
            svg("text", { x: 206, y: 318, "text-anchor": "middle" }, String(valueOf(code))),
          )
        : svg("g", { class: "far", transform: "rotate(180 125 175) translate(14 12) scale(.62)" }, index(code)),
    ),
  );
}

/** @param {string} code */
function index(code) {
  const rank = rankOf(code);
  return svg(
    "g", { class: "index" },
    svg("text", { x: 50, y: 88, "text-anchor": "middle", class: rank === "10" ? "rank ten" : "rank" }, rank),
    svg("path", { class: "suit", d: suitPath(code), transform: "translate(29 101) scale(.42)" }),
  );
}

/** The back of a card. @returns {HTMLSpanElement} */
export function back() {
  const bars = [50, 80, 110, 140, 170, 200].map((x) => `M${x} 70V306`).join("");
  return h(
    "span", { class: "back" },
    svg(
      "svg", { viewBox: "0 0 250 350", "aria-hidden": "true", focusable: "false" },
      svg("path", { class: "frame", d: FRAME }),
      svg("path", { class: "arch", d: "M44 306V128C44 70 84 44 125 44C166 44 206 70 206 128V306Z" }),
      svg("path", { class: "bars", d: `${bars}M44 130H206M44 180H206M44 230H206M44 280H206` }),
      svg("path", { class: "keystone", d: "M125 138C158 138 172 160 169 186C168 198 158 203 155 207L154 222H96L95 207C92 203 82 198 81 186C78 160 92 138 125 138Z" }),
      svg("path", { class: "hollow", d: "M98 186a12 12 0 1 0 24 0a12 12 0 1 0-24 0ZM128 186a12 12 0 1 0 24 0a12 12 0 1 0-24 0ZM125 198L131 211H119Z" }),
    ),
  );
}
