/** Output records of a conversation: the model's turns and the answers to its calls. */

import * as z from "zod";
import { count, defineOutput, list, measure } from "./output.ts";

const ids = list(z.number().int());
const placeShape = {
  model: z.string().describe("the model's display name"),
  turn: count.describe("number of the model's turn, from 1"),
};

export const chatTurnOutput = defineOutput(
  { name: "chat-turn", version: 1, command: "chat … --json" },
  {
    kind: z.literal("turn"),
    ...placeShape,
    sample: count.describe("number among the sampled alternatives, from 1"),
    seed: z.number().nullable().describe("null: the turn was not sampled here"),
    stop_reason: z.string(),
    thinking: z.string().nullable(),
    text: z.string(),
    calls: list(z.object({ name: z.string(), arguments: z.string().describe("JSON text") })),
    errors: list(
      z.object({ message: z.string(), raw: z.string().describe("malformed calls, as written") }),
    ),
    raw: z.string().describe("the sampled tokens as text, with control tokens"),
    context: ids.describe("token ids sent before the turn; negative for images"),
    tokens: ids.describe("sampled token ids"),
    logprobs: list(measure).nullable().describe("one per sampled token; null: unknown"),
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
        name: z.string().describe("name of the tool"),
        text: z.string(),
        isError: z.boolean(),
        reward: measure,
        finished: z.boolean().describe("true if the episode is over"),
      }),
    ).describe("in the order of the calls"),
  },
);
