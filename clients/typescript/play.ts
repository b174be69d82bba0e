// Plays one game of Scoundrel and prints its score.
//
// The types of requests and responses come from the OpenAPI document; README.md shows how to
// generate `api.d.ts`.

import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import type { components, operations } from "./api.js";

type Schemas = components["schemas"];
type Operation = keyof operations;
type Content<R> = R extends { content: { "application/json": infer Body } } ? Body : never;

/** The body of an operation's successful response. */
type Success<O extends Operation> = Content<
  operations[O]["responses"][Extract<keyof operations[O]["responses"], 200 | 201>]
>;

/** The body of an operation's request; `undefined` if it has none. */
type Body<O extends Operation> = operations[O] extends { requestBody: infer R } ? Content<R> : undefined;

/** An error response of the API, identified by `problem.code`. */
class ApiError extends Error {
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
 * Sends a request, and repeats it on faults and while the server is busy. That is safe: the server
 * carries out a repeated request only once.
 */
async function request<O extends Operation>(
  path: string,
  body?: Body<O>,
  headers: Record<string, string> = {},
): Promise<Success<O>> {
  const init: RequestInit =
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
        ...init,
        signal: AbortSignal.timeout(10_000),
      });
      if (response.ok) return (await response.json()) as Success<O>;
      if (![429, 502, 503, 504].includes(response.status)) {
        throw new ApiError((await response.json()) as Schemas["Problem"]);
      }
      seconds = Number(response.headers.get("Retry-After") ?? seconds);
    } catch (error) {
      if (error instanceof ApiError) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
  throw new Error("The server does not respond.");
}

/** Chooses the action that leaves the most health, the first of equal ones; `avoid` is listed last. */
function choose({ actions }: Success<"listActions">): string {
  return actions.reduce((best, one) => (one.health_after > best.health_after ? one : best)).action;
}

const newGame: Body<"createGame"> = {};
if (options.seed !== undefined) newGame.seed = options.seed;
if (options.player !== undefined) newGame.player = options.player;

let game: Schemas["GameWithEvents"] = await request<"createGame">("/v1/games", newGame, {
  "Idempotency-Key": randomUUID(),
});
while (game.status === "playing") {
  const legal = await request<"listActions">(game.links.actions);
  game = await request<"applyActions">(game.links.actions, {
    version: legal.version,
    actions: [choose(legal)],
  });
}

const score = await request<"getScore">(game.links.score);
const { notation } = await request<"getHistory">(game.links.history);
console.log(`${score.status}, score ${score.score}, ${game.version} actions`);
console.log(notation);
