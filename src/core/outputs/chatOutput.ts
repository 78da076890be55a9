/** The lines of a conversation: what a model writes, and what its calls are answered with. */

import * as z from "zod";
import { count, defineOutput, list, measure } from "./output.ts";

const ids = list(z.number().int());
const placeShape = {
  model: z.string().describe("as people know it"),
  turn: count.describe("of the model, from 1"),
};

export const chatTurnOutput = defineOutput(
  { name: "chat-turn", version: 1, command: "chat … --json" },
  {
    kind: z.literal("turn"),
    ...placeShape,
    sample: count.describe("among the alternatives that were sampled, from 1"),
    seed: z.number().nullable().describe("null: the turn was sampled elsewhere"),
    stop_reason: z.string(),
    thinking: z.string().nullable(),
    text: z.string(),
    calls: list(z.object({ name: z.string(), arguments: z.string().describe("JSON text") })),
    errors: list(
      z.object({ message: z.string(), raw: z.string().describe("malformed calls, as written") }),
    ),
    raw: z.string().describe("the sampled tokens as text, with control tokens"),
    context: ids.describe("that were sent before the turn; below 0 for images"),
    tokens: ids.describe("that were sampled"),
    logprobs: list(measure).nullable().describe("of each of tokens; null: not known"),
  },
);

export const chatAnswersOutput = defineOutput(
  { name: "chat-answers", version: 1, command: "chat … --json" },
  {
    kind: z.literal("answers"),
    ...placeShape,
    by: z.enum(["environment", "person"]),
    answers: list(
      z.object({
        name: z.string().describe("of the tool"),
        text: z.string(),
        isError: z.boolean(),
        reward: measure,
        finished: z.boolean().describe("true if the episode is over"),
      }),
    ).describe("in the order of the calls"),
  },
);
