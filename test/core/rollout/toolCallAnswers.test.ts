import { describe, expect, it } from "vitest";
import type { Chat } from "../../../src/core/chat/chat.ts";
import { qwen35 } from "../../../src/core/chat/families/qwen35.ts";
import { createNativeRenderer } from "../../../src/core/chat/nativeRenderer.ts";
import { qwen3 } from "../../../src/core/chat/template/templateFamily.ts";
import { createTemplateRenderer } from "../../../src/core/chat/template/templateRenderer.ts";
import { THOUGHT_CALL_NUDGE } from "../../../src/core/rollout/feedback.ts";
import { sampled, THINKING_TEMPLATE, tinyModel } from "../chat/tinyModel.ts";
import { playEpisode } from "./builders.ts";
import { rejected, result, scriptedSession } from "./scriptedEnvironment.ts";
import { ended, scriptedSampler } from "./scriptedModel.ts";

const model = tinyModel(THINKING_TEMPLATE);
const { tokenizer } = model;
const options = { thinking: false, effort: null, retention: "all", date: "2026-01-02" } as const;

interface Format {
  readonly chat: Chat;
  /** The text between the markers of a call of `name` with x = 1. */
  readonly payload: (name: string) => string;
  /** How the format writes calls, as described to the model. */
  readonly hint: RegExp;
}

const FORMATS: Readonly<Record<string, Format>> = {
  json: {
    chat: {
      tokenizer,
      renderer: createTemplateRenderer({ model, family: qwen3, thinking: true }),
    },
    payload: (name) => `{"name": "${name}", "arguments": {"x": 1}}`,
    hint: /JSON object/,
  },
  xml: {
    chat: { tokenizer, renderer: createNativeRenderer(qwen35(options), tokenizer) },
    payload: (name) => `<function=${name}><parameter=x>1</parameter></function>`,
    hint: /<function=NAME>/,
  },
};

/** Plays one turn, then anything for a second one. */
async function play({ chat }: Format, turn: string) {
  const session = scriptedSession({
    onCall: ({ name }) =>
      name === "add" ? result("Two.") : rejected(`No tool is called ${name}.`),
  });
  const sampler = scriptedSampler([turn, ended("Done.")], { encodeTurn: sampled });
  const settings = { maxTurns: 2, maxResponseTokens: 1_000 };
  const { episode } = await playEpisode({ session, sampler, settings, chat });
  const [first, second] = sampler.requests.map(({ prompt }) => prompt);
  const answer = second?.slice((first?.length ?? 0) + sampled(turn).length) ?? [];
  return { calls: session.calls, facts: episode.played.turnFacts[0], answer };
}

const added = new Set(tokenizer.addedTokens.map(({ id }) => id));
const countAdded = (ids: ArrayLike<number>): number =>
  Array.from(ids).filter((id) => added.has(id)).length;

describe.each(Object.entries(FORMATS))("calls written as %s", (_, format) => {
  const call = (payload: string): string => `<tool_call>${payload}</tool_call>`;
  const good = call(format.payload("add"));
  const broken = call('{"name": "add", "argum');

  it("to a missing tool are answered by the environment", async () => {
    const { calls, answer } = await play(format, ended(call(format.payload("no_such_tool"))));
    expect(calls).toEqual([["no_such_tool", { x: 1 }]]);
    expect(tokenizer.decode(answer)).toContain("Error: No tool is called no_such_tool.");
  });

  it.each([
    ["an answer", `<think>${good}</think>Hm.`, `user\n${THOUGHT_CALL_NUDGE}`],
    ["the end of the turn", `<think>${good}`, `user\n${THOUGHT_CALL_NUDGE}`],
    ["nothing", `<think>${good}</think>\n\n`, "The tool call is inside the reasoning, so it did"],
  ])(
    "in reasoning followed by %s do not run, and the model is notified",
    async (_what, turn, answered) => {
      const { calls, answer, facts } = await play(format, ended(turn));
      expect(calls).toEqual([]);
      expect(facts?.isParsed).toBe(false);
      expect(tokenizer.decode(answer)).toContain(answered);
    },
  );

  it("that were cut off do not run, and the model is notified", async () => {
    const { calls, answer } = await play(format, ended(good.replace("</tool_call>", "")));
    expect(calls).toEqual([]);
    expect(tokenizer.decode(answer)).toMatch(/was not closed, so it did not run/);
    expect(tokenizer.decode(answer)).toMatch(format.hint);
  });

  it.each([
    ["after", good + broken],
    ["before", broken + good],
  ])("run next to a broken one %s it, and both are answered", async (_place, turn) => {
    const { calls, answer, facts } = await play(format, ended(turn));
    expect(calls).toEqual([["add", { x: 1 }]]);
    expect(facts?.isParsed).toBe(false);
    const text = tokenizer.decode(answer);
    expect(text).toMatch(format.hint);
    expect(text).toContain("Two.");
    // Two valid calls add the same number of added tokens, so the error message adds none.
    const both = await play(format, ended(good + good));
    expect(countAdded(answer)).toBe(countAdded(both.answer));
  });

  it("with a repeated argument run once, with the last value", async () => {
    const twice = format
      .payload("add")
      .replace('"x": 1', '"x": 1, "x": 2')
      .replace("</parameter>", "</parameter><parameter=x>2</parameter>");
    const { calls } = await play(format, ended(call(twice)));
    expect(calls).toEqual([["add", { x: 2 }]]);
  });
});
