/** The runs of this browser. */

import { h, put } from "../dom.js";
import { formatNumber } from "../names.js";
import * as runs from "../runs.js";
import { openPanel } from "./dialog.js";

/** @param {(ruleset: string) => string} titleOf @param {() => void} onClear */
export function showRuns(titleOf, onClear) {
  return openPanel("Your runs", "runs", (close) => {
    const all = runs.runs();
    const done = runs.finished();
    const best = runs.best();
    if (!all.length) {
      return [h("p", {}, "No runs yet in this browser.")];
    }
    const foot = h("p", { class: "foot" });
    const ask = () => {
      const no = h("button", { type: "button", class: "quiet", click: () => { put(foot, clear, note); clear.focus(); } }, "Keep them");
      put(foot, h("span", {}, `Clear ${done.length === 1 ? "one score" : `${done.length} scores`} for good?`),
        h("button", { type: "button", class: "quiet", click: () => { runs.clear(); onClear(); close(); } }, "Yes, clear"), no);
      no.focus();
    };
    const clear = h("button", { type: "button", class: "quiet", click: ask }, "Clear scores");
    const note = h("span", { class: "soft" }, "This clears only this browser’s list, not the ledger.");
    put(foot, clear, note);
    const won = done.filter(({ status }) => status === "won").length;
    return [
      best ? h("p", { class: "lead" }, "Best ", h("b", {}, formatNumber(best.score ?? 0)), `, ${won} of ${done.length} won`) : null,
      h("ol", { class: "list" }, ...all.map((run) =>
        h("li", { class: run === best ? "mine" : "" },
          h("a", { href: `#game=${run.id}`, click: close },
            h("b", { class: "points" }, run.status === "playing" ? "…" : formatNumber(run.score ?? 0)),
            h("span", { class: "who" }, `${{ playing: "In progress", won: "Won", lost: "Lost" }[run.status] ?? run.status}, ${titleOf(run.ruleset)}${run.custom ? ", custom" : ""}`),
            h("time", { datetime: run.updated }, day(run.updated)))))),
      done.length > 0 && foot,
    ];
  });
}

/** @param {string} time */
export function day(time) {
  return new Date(time).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}
