import { expect, it } from "vitest";
import { qwen3 } from "../../src/core/chat/families/qwen3.ts";
import { createTemplateRenderer } from "../../src/core/chat/template/templateRenderer.ts";
import { rolloutBody } from "../../src/host/dashboard/rolloutViews.ts";
import { sampled, THINKING_TEMPLATE, tinyModel } from "../core/chat/tinyModel.ts";
import { aRecord } from "../core/runFolder/builders.ts";

const { parse } = createTemplateRenderer({
  model: tinyModel(THINKING_TEMPLATE),
  family: qwen3,
  thinking: true,
});
const CALL = '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>';

it.each([
  ["behind the call", `<think>\nHm.\n</think>\n${CALL}\nSo I did.`, "", "So I did."],
  ["on both sides", `<think>\nHm.\n</think>\nI will. ${CALL} I did.`, "I will.", "I did."],
  ["before it", `<think>\nHm.\n</think>\nI will. ${CALL}`, "I will.", ""],
  ["without any", "<think>\nHm.\n</think>\nNo tools.", "No tools.", ""],
])("text %s is replayed where the model wrote it", (_where, written, before, after) => {
  const { content, lead, calls } = parse(sampled(`${written}<|im_end|>`));
  const [turn] = aRecord().turns;
  if (turn === undefined) throw new Error("a record without a turn");
  const record = aRecord({
    turns: [{ ...turn, content, lead, calls: calls.map((call) => ({ ...call, args: "{}" })) }],
  });
  const [replayed] = rolloutBody(record).turns;
  expect(replayed?.content.text).toBe(before);
  expect(replayed?.afterCalls.text).toBe(after);
});
