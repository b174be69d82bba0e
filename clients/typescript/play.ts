// Plays one game of Scoundrel and prints its score.
//
// Everything that is sent and answered has the type that the API's description gives it: see
// README.md for how `api.d.ts` is generated.

import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import type { components, operations } from "./api.js";

type Schemas = components["schemas"];
type Operation = keyof operations;
type Content<R> = R extends { content: { "application/json": infer Body } } ? Body : never;

/** What an operation answers when all goes well. */
type Answer<O extends Operation> = Content<
  operations[O]["responses"][Extract<keyof operations[O]["responses"], 200 | 201>]
>;

/** What an operation takes; `undefined` if it takes no body. */
type Body<O extends Operation> = operations[O] extends { requestBody: infer R } ? Content<R> : undefined;

/** What the API refuses. Tell refusals apart by `problem.code`. */
class Refused extends Error {
  constructor(readonly problem: Schemas["Problem"]) {
    super(`${problem.code}: ${problem.detail}`);
  }
}

const { values: options } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8000" },
    seed: { type: "string" },
    player: { type: "string" },
  },
});

/**
 * Sends a request, and the very same again while there is no answer or a busy server's. That is
 * safe: the server carries a repeated request out once.
 */
async function ask<O extends Operation>(
  path: string,
  body?: Body<O>,
  headers: Record<string, string> = {},
): Promise<Answer<O>> {
  const request: RequestInit =
    body === undefined
      ? { headers }
      : {
          method: "POST",
          headers: { "Content-Type": "application/json", ...headers },
          body: JSON.stringify(body),
        };
  for (let attempt = 0; attempt < 8; attempt++) {
    let seconds = 0.1 * 2 ** attempt;
    try {
      const response = await fetch(new URL(path, options.url), {
        ...request,
        signal: AbortSignal.timeout(10_000),
      });
      if (response.ok) return (await response.json()) as Answer<O>;
      if (![429, 502, 503, 504].includes(response.status)) {
        throw new Refused((await response.json()) as Schemas["Problem"]);
      }
      seconds = Number(response.headers.get("Retry-After") ?? seconds);
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
  throw new Error("The server does not answer.");
}

/** Chooses what leaves most health; of equal ones the first, which avoids a room last. */
function choose({ actions }: Answer<"listActions">): string {
  return actions.reduce((best, one) => (one.health_after > best.health_after ? one : best)).action;
}

const wish: Body<"createGame"> = {};
if (options.seed !== undefined) wish.seed = options.seed;
if (options.player !== undefined) wish.player = options.player;

let game: Schemas["GameWithEvents"] = await ask<"createGame">("/v1/games", wish, {
  "Idempotency-Key": randomUUID(),
});
while (game.status === "playing") {
  const legal = await ask<"listActions">(game.links.actions);
  game = await ask<"applyActions">(game.links.actions, {
    version: legal.version,
    actions: [choose(legal)],
  });
}

const score = await ask<"getScore">(game.links.score);
const { notation } = await ask<"getHistory">(game.links.history);
console.log(`${score.status}, score ${score.score}, ${game.version} actions`);
console.log(notation);
