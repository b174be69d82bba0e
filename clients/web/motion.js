/** Animations: cards fly from their old place to the new one, unless the user prefers reduced motion. */

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
const EASE = "cubic-bezier(.2, .75, .25, 1)";

/** @typedef {{rects: Map<string, DOMRect>, elements: Map<string, Element>}} Snapshot */

export function motionAllowed() {
  return !reducedMotion.matches && !document.hidden;
}

/** Record the place of every card. @param {Element} table @returns {Snapshot} */
export function snapshot(table) {
  const rects = new Map(), elements = new Map();
  if (motionAllowed()) {
    for (const element of table.querySelectorAll("[data-card]")) {
      const code = element.getAttribute("data-card") ?? "";
      rects.set(code, element.getBoundingClientRect());
      elements.set(code, element);
    }
  }
  return { rects, elements };
}

/**
 * Animate every card from its place in the snapshot.
 * @param {Element} table
 * @param {Snapshot} before
 * @param {{dungeon: Element, discard: Element, drawn: string[], avoided: string[], discarded: Set<string>}} scene
 */
export function animateCards(table, before, { dungeon, discard, drawn, avoided, discarded }) {
  if (!motionAllowed()) {
    return;
  }
  const pile = dungeon.getBoundingClientRect();
  const away = avoided.length ? 260 : 0;
  const here = new Set();
  for (const element of table.querySelectorAll("[data-card]")) {
    const code = element.getAttribute("data-card") ?? "";
    here.add(code);
    const order = drawn.indexOf(code);
    const from = before.rects.get(code);
    if (order >= 0) {
      fly(element, pile, { delay: away + 110 * order + (before.rects.size ? 160 : 0), turn: true });
    } else if (from) {
      fly(element, from, {});
    }
  }
  for (const [code, from] of before.rects) {
    const card = before.elements.get(code);
    if (card && (!here.has(code) || avoided.includes(code))) {
      const order = Math.max(0, avoided.indexOf(code));
      const target = discarded.has(code) ? discard : dungeon;
      flyAway(card, from, target.getBoundingClientRect(), 60 * order, !discarded.has(code));
    }
  }
}

/**
 * Show a change of health beside the meter.
 * @param {HTMLElement} meter
 * @param {number} change
 */
export function showHealthChange(meter, change) {
  if (!motionAllowed() || !change) {
    return;
  }
  const sign = document.createElement("span");
  sign.className = `change ${change < 0 ? "worse" : "better"}`;
  sign.ariaHidden = "true";
  sign.textContent = change < 0 ? `−${-change}` : `+${change}`;
  meter.append(sign);
  const animation = sign.animate(
    [
      { transform: "translateY(6px) scale(.8)", opacity: 0 },
      { transform: "translateY(-6px) scale(1.15)", opacity: 1, offset: 0.2 },
      { transform: "translateY(-14px) scale(1)", opacity: 1, offset: 0.75 },
      { transform: "translateY(-28px) scale(1)", opacity: 0 },
    ],
    { duration: 1400, easing: "ease-out" },
  );
  animation.onfinish = () => sign.remove();
}

/** Shake the table after damage. @param {Element} table @param {number} damage */
export function shake(table, damage) {
  if (!motionAllowed() || damage <= 0) {
    return;
  }
  const by = Math.min(9, 2 + damage / 2);
  table.animate(
    [0, -by, by * 0.8, -by * 0.5, by * 0.3, 0].map((x) => ({ transform: `translateX(${x}px)` })),
    { duration: 320, easing: "ease-out" },
  );
}

/**
 * @param {Element} element
 * @param {DOMRect} from
 * @param {{delay?: number, turn?: boolean}} options
 */
function fly(element, from, { delay = 0, turn = false }) {
  if (element.getAnimations().length) {
    return; // already moving
  }
  const to = element.getBoundingClientRect();
  const x = from.left + from.width / 2 - to.left - to.width / 2;
  const y = from.top + from.height / 2 - to.top - to.height / 2;
  const scale = turn ? 0.8 : scaleBetween(from, to);
  if (Math.abs(x) < 1 && Math.abs(y) < 1 && Math.abs(scale - 1) < 0.02) {
    return;
  }
  const start = `translate(${x}px, ${y}px) scale(${scale})`;
  element.animate(
    turn
      ? [
          { transform: `${start} rotateY(90deg)`, opacity: 0 },
          { transform: `${start} rotateY(90deg)`, opacity: 1, offset: 0.01 },
          { transform: `translate(${x * 0.4}px, ${y * 0.4 - 18}px) scale(1) rotateY(40deg)`, offset: 0.5 },
          { transform: "none", opacity: 1 },
        ]
      : [{ transform: start, zIndex: 5 }, { transform: "none", zIndex: 5 }],
    { duration: turn ? 420 : 380, delay, easing: EASE, fill: "backwards" },
  );
}

/** The ratio of two heights, limited: a card seen edge-on has no width. @param {DOMRect} one @param {DOMRect} other */
function scaleBetween(one, other) {
  return Math.min(3, Math.max(0.3, one.height / other.height || 1));
}

/**
 * Fly a removed card to its pile.
 * @param {Element} card
 * @param {DOMRect} from
 * @param {DOMRect} to
 * @param {number} delay
 * @param {boolean} faceDown
 */
function flyAway(card, from, to, delay, faceDown) {
  const ghost = document.createElement("div");
  ghost.className = "ghost";
  ghost.ariaHidden = "true";
  const face = card.querySelector(".face");
  if (face) {
    ghost.append(face.cloneNode(true));
  }
  Object.assign(ghost.style, {
    left: `${from.left}px`, top: `${from.top}px`, width: `${from.width}px`, height: `${from.height}px`,
  });
  document.body.append(ghost);
  const x = to.left + to.width / 2 - from.left - from.width / 2;
  const y = to.top + to.height / 2 - from.top - from.height / 2;
  const animation = ghost.animate(
    [
      { transform: "none", opacity: 1 },
      {
        transform: `translate(${x}px, ${y}px) scale(${scaleBetween(to, from)}) rotateY(${faceDown ? 90 : 0}deg)`,
        opacity: faceDown ? 1 : 0.2,
      },
    ],
    { duration: 380, delay, easing: EASE, fill: "both" },
  );
  animation.onfinish = () => ghost.remove();
}
