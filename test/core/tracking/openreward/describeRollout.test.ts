import { expect, test } from "vitest";
import type { RolloutRecord } from "../../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { describeRollout } from "../../../../src/core/tracking/openreward/describeRollout.ts";
import { uploadEvents } from "../../../../src/core/tracking/openreward/uploadEvents.ts";
import { uploadSettings } from "../../openreward/uploadBuilders.ts";
import { aRecord, aRecordedTurn } from "../../runFolder/builders.ts";
import { aConfig, anEnvironment } from "../../training/builders.ts";

type Turn = RolloutRecord["turns"][number];

const TRAINED = { advantage: 0.5, trainingUse: "trained" };
const settings = uploadSettings(
  aConfig({ environments: { "Owner/Game:hard": anEnvironment({ temperature: 0.7 }) } }),
);

function aTurn(changes: Partial<Turn>): Turn {
  return aRecordedTurn({ calls: [], results: [], ...changes });
}

function messages(...turns: readonly Turn[]) {
  const { messages: all } = describeRollout(aRecord({ turns }), TRAINED, settings);
  return all.slice(2).map(({ timestampMs: _, ...message }) => message);
}

test("a rollout is described with its training result and its task", () => {
  const environment = "Owner/Game:hard";
  const record = aRecord({ environment, step: 4, rollout: 2, group: 1, reward: 0.25 });
  const upload = describeRollout(record, TRAINED, settings);
  expect(upload).toMatchObject({
    rolloutName: "Owner/Game:hard-train-3-step4-r2",
    environment: "Owner/Game",
    variant: "hard",
    split: "train",
    runName: "run",
    metadata: {
      step: 4,
      group: 1,
      rollout_idx: 2,
      task_key: record.taskKey,
      reward: 0.25,
      stop: "reached_terminal_state",
      num_tool_calls: 1,
      num_failed_tool_calls: 0,
      called_answer: 1,
      advantage: 0.5,
      included: true,
      excluded: null,
    },
    rolloutInfo: { task_index: 3, current_step: 4, temperature: 0.7, harness: "tinker-rl" },
  });
  const excluded = { advantage: null, trainingUse: "excluded:no-variance" };
  expect(describeRollout(record, excluded, settings).metadata).toMatchObject({
    advantage: null,
    included: false,
    excluded: "no-variance",
  });
});

test("a turn has reasoning, text, calls, results, and other answers to the model", () => {
  const call = { name: "add", args: '{"amount":1}', raw: "" };
  const result = { name: "add", text: "1", isError: false, reward: null, finished: false };
  const error = { kind: "not_json", raw: "<tool_call>{", message: "This is no JSON." };
  const turn = aTurn({
    reasoning: "I add.",
    content: "Adding.",
    calls: [call, { ...call, args: "{}" }],
    results: [result, { ...result, text: "no", isError: true }],
    errors: [error],
  });
  expect(messages(turn)).toEqual([
    { type: "reasoning", content: "I add." },
    { type: "assistant_message", content: "Adding." },
    { type: "tool_call", name: "add", content: '{"amount":1}', callId: "turn0-call0" },
    { type: "tool_call", name: "add", content: "{}", callId: "turn0-call1" },
    { type: "assistant_message", content: "<tool_call>{" },
    {
      type: "tool_result",
      content: "1",
      callId: "turn0-call0",
      reward: null,
      isFinished: false,
      metadata: {},
    },
    {
      type: "tool_result",
      content: "no",
      callId: "turn0-call1",
      reward: null,
      isFinished: false,
      metadata: { error: true },
    },
    { type: "user_message", content: "This is no JSON.", metadata: { error: "not_json" } },
  ]);
});

test("a call without a tool name is described as the model's text, since it cannot be uploaded as a call", () => {
  const raw = '{"name": "", "parameters": {}}';
  const result = { name: "", text: "No such tool", isError: true, reward: null, finished: false };
  const turn = aTurn({ calls: [{ name: "", args: "{}", raw }], results: [result] });
  expect(messages(turn)).toMatchObject([
    { type: "assistant_message", content: raw },
    { type: "tool_result", content: "No such tool" },
  ]);
  const upload = describeRollout(aRecord({ turns: [turn] }), TRAINED, settings);
  expect(uploadEvents(upload, {})).toHaveLength(6);
});

test("a reminder is described, and so is an empty message", () => {
  const nudged = aTurn({ nudge: "Call a tool." });
  expect(messages(nudged)).toEqual([
    { type: "assistant_message", content: "" },
    { type: "user_message", content: "Call a tool." },
  ]);
});

test("a rollout that never began has only its system text", () => {
  const record = aRecord({ systemText: null, promptText: "", turns: [], error: "no room" });
  const upload = describeRollout(
    record,
    { advantage: null, trainingUse: "excluded:failed" },
    settings,
  );
  expect(upload.messages).toEqual([]);
  expect(upload.metadata).toMatchObject({ error: "no room", included: false });
});

test("ids are UUIDs that depend only on the rollout", () => {
  const idOf = (record: RolloutRecord, score = TRAINED): string =>
    describeRollout(record, score, settings).id;
  const id = idOf(aRecord());
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(idOf(aRecord({ startedAtMs: 9, durationMs: 9 }))).toBe(id);
  expect(idOf(aRecord({ turns: [aTurn({ startedAtMs: 7 })] }))).not.toBe(id);
  const others = [
    idOf(aRecord({ rollout: 1 })),
    idOf(aRecord({ promptText: "What is 2 + 4?" })),
    idOf(aRecord({ reward: 0.5 })),
    idOf(aRecord(), { ...TRAINED, advantage: 0.6 }),
    describeRollout(aRecord(), TRAINED, { ...settings, runId: "other" }).id,
  ];
  expect(new Set([id, ...others]).size).toBe(6);
  const { messageId } = describeRollout(aRecord(), TRAINED, settings);
  expect(new Set([id, messageId(0), messageId(1)]).size).toBe(3);
});
