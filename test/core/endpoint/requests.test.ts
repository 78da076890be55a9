import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { AnsweredTurn } from "../../../src/core/endpoint/answeredTurn.ts";
import { readMessagesRequest } from "../../../src/core/endpoint/anthropicMessages.ts";
import { readChatCompletion } from "../../../src/core/endpoint/openaiChat.ts";
import { readResponses } from "../../../src/core/endpoint/openaiResponses.ts";
import { refusalOf } from "../../../src/core/endpoint/refusal.ts";
import { parseExactJson, writeExactJson } from "../../../src/core/util/exactJson.ts";
import { call, ended } from "../rollout/scriptedModel.ts";
import { aPolicy, signal } from "./aPolicy.ts";

const TURNS = [
  "Hello",
  "Hello <tool_call>{",
  call("add", { a: 1 }),
  `Well. ${call("add")}${call("answer", { b: [] })}`,
  "",
  "<|im_start|>user\nI am the user.",
].flatMap((text) => [ended(text), text]);

/** Values that a client may put anywhere. */
const junk = fc.jsonValue({ maxDepth: 3 });
const text = fc.oneof(
  fc.constantFrom("Hi", "<|im_end|>", "", "\ud800", "Hello"),
  fc.string({ unit: "binary" }),
);
const id = fc.constantFrom("id-1", "id-2", "id-3", "a");
const mostly = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: value }, { weight: 1, arbitrary: junk });
const called = fc.record(
  {
    id: mostly(id),
    function: fc.record({
      name: mostly(fc.constantFrom("add", "answer")),
      arguments: mostly(fc.constantFrom("{}", '{"a":1.0}', "[]", '{"__proto__":1}', "{")),
    }),
  },
  { requiredKeys: ["function"] },
);
const openaiMessage = mostly(
  fc.oneof(
    fc.record({ role: fc.constantFrom("system", "developer", "user"), content: mostly(text) }),
    fc.record(
      {
        role: fc.constant("assistant"),
        content: mostly(text),
        tool_calls: mostly(fc.array(called, { maxLength: 2 })),
      },
      { requiredKeys: ["role"] },
    ),
    fc.record({ role: fc.constant("tool"), tool_call_id: id, content: mostly(text) }),
  ),
);
const openai = fc.record(
  {
    messages: mostly(fc.array(openaiMessage, { maxLength: 6 })),
    tools: mostly(
      fc.array(fc.record({ function: fc.record({ name: mostly(text), parameters: junk }) }), {
        maxLength: 2,
      }),
    ),
    temperature: mostly(fc.double({ min: 0, max: 2, noNaN: true })),
    max_tokens: mostly(fc.integer({ min: 1, max: 9 })),
    stop: mostly(fc.array(text, { maxLength: 2 })),
    parallel_tool_calls: fc.boolean(),
    stream: fc.boolean(),
    n: mostly(fc.constant(1)),
  },
  { requiredKeys: ["messages"] },
);
const block = mostly(
  fc.oneof(
    fc.record({ type: fc.constant("text"), text: mostly(text) }),
    fc.record({ type: fc.constant("thinking"), thinking: text }),
    fc.record({ type: fc.constant("tool_use"), id, name: text, input: junk }),
    fc.record({ type: fc.constant("tool_result"), tool_use_id: id, content: mostly(text) }),
  ),
);
const item = mostly(
  fc.oneof(
    fc.record({
      role: mostly(fc.constantFrom("user", "developer", "assistant")),
      content: mostly(text),
    }),
    fc.record({
      type: fc.constant("reasoning"),
      summary: mostly(fc.array(junk, { maxLength: 2 })),
    }),
    fc.record({
      type: fc.constant("function_call"),
      call_id: id,
      name: text,
      arguments: mostly(fc.constant("{}")),
    }),
    fc.record({ type: fc.constant("function_call_output"), call_id: id, output: mostly(text) }),
  ),
);
const responses = fc.record(
  {
    input: mostly(fc.oneof(text, fc.array(item, { maxLength: 6 }))),
    instructions: mostly(text),
    max_output_tokens: mostly(fc.integer({ min: 1, max: 9 })),
  },
  { requiredKeys: ["input"] },
);
const anthropic = fc.record(
  {
    messages: mostly(
      fc.array(
        fc.record({
          role: mostly(fc.constantFrom("user", "assistant")),
          content: mostly(fc.oneof(text, fc.array(block, { maxLength: 3 }))),
        }),
        { maxLength: 6 },
      ),
    ),
    system: mostly(text),
    max_tokens: mostly(fc.integer({ min: 1, max: 9 })),
    stop_sequences: mostly(fc.array(text, { maxLength: 2 })),
  },
  { requiredKeys: ["messages"] },
);

/** A client's actions on the last answered conversation. */
const step = fc.record({
  result: text,
  says: fc.option(text),
  drops: fc.constantFrom(0, 0, 0, 1),
  isRepeated: fc.constantFrom(false, false, true),
});

type Steps = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** The last conversation with its answer and what follows. */
function continued(
  last: { readonly messages: readonly object[]; readonly turn: AnsweredTurn },
  { result, says, drops, isRepeated }: Steps,
): object {
  const { text: content, calls } = last.turn;
  const repeated = calls.map(({ id: own, name, args }) => {
    return { id: own, function: { name, arguments: writeExactJson(args) } };
  });
  const results = repeated.map(({ id: own }) => {
    return { role: "tool", tool_call_id: own, content: result };
  });
  const isAsked = says !== null || results.length === 0;
  const messages = [
    ...last.messages,
    { role: "assistant", content, tool_calls: repeated },
    ...results,
    ...(isAsked ? [{ role: "user", content: says ?? result }] : []),
  ];
  return { messages: (isRepeated ? last.messages : messages).slice(drops) };
}

it("answers or refuses any request, and trains only what was sampled, with its log-probability", async () => {
  let answered = 0;
  const requests = fc.array(
    fc.oneof(
      openai.map((body) => ({ read: readChatCompletion, make: () => body })),
      responses.map((body) => ({ read: readResponses, make: () => body })),
      anthropic.map((body) => ({ read: readMessagesRequest, make: () => body })),
      ...[1, 2].map(() =>
        step.map((steps) => ({
          read: readChatCompletion,
          make: (last: Parameters<typeof continued>[0]) => continued(last, steps),
        })),
      ),
    ),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(requests, fc.shuffledSubarray(TURNS, { minLength: 1 }), async (all, turns) => {
      const { policy, threads, sampler } = aPolicy(turns);
      let own = 0;
      const begun = [{ role: "user", content: "Begin" }];
      const first: AnsweredTurn = {
        reasoning: null,
        reasoningTokens: 0,
        text: "",
        calls: [],
        end: "turn",
        stopText: null,
      };
      let last: Parameters<typeof continued>[0] = { messages: begun, turn: first };
      for (const { read, make } of all) {
        try {
          const body = make(last);
          const request = read(parseExactJson(JSON.stringify(body)));
          const turn = await policy.turn(request, { signal, needsLogprobs: true });
          expect(turn.sampled.logprobs?.length).toBe(turn.sampled.tokens.length);
          own += turn.sampled.tokens.length;
          answered += 1;
          const { messages } = body as { readonly messages: readonly object[] };
          if (read === readChatCompletion) last = { messages, turn };
        } catch (error) {
          // Anything but a refusal is a crash.
          if (refusalOf(error) === null) throw error;
        }
      }
      const trained = threads.streams.map(({ logprobs, mask, tokens }) => {
        expect([logprobs.length, mask.length]).toEqual([tokens.length, tokens.length]);
        expect(mask.every((isTrained, i) => (isTrained === 1) === (logprobs[i] !== 0))).toBe(true);
        return mask.reduce((sum, each) => sum + each, 0);
      });
      expect(trained.reduce((sum, each) => sum + each, 0)).toBe(own);
      // Every prompt is in a stream, as it was sent.
      const prompts = new Set(sampler.requests.map(({ prompt }) => Array.from(prompt).join()));
      const streams = threads.streams.map(({ tokens }) => `${Array.from(tokens).join()},`);
      for (const prompt of prompts) {
        expect(streams.some((stream) => stream.startsWith(`${prompt},`))).toBe(true);
      }
    }),
    { numRuns: 400 },
  );
  // The property would be meaningless if everything were refused.
  expect(answered).toBeGreaterThan(500);
});
