import { beforeAll, describe, expect, it } from "vitest";
import { replayLines } from "../../../src/cli/show/showRollout.ts";
import { qwen3 } from "../../../src/core/chat/template/templateFamily.ts";
import { createTemplateRenderer } from "../../../src/core/chat/template/templateRenderer.ts";
import { runRollout } from "../../../src/core/rollout/rollout.ts";
import {
  createRunReader,
  type RolloutSummary,
  type RunReader,
} from "../../../src/core/runFolder/reader.ts";
import { rolloutRecordSchema } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { rolloutBody, rolloutRow } from "../../../src/server/dashboard/rolloutViews.ts";
import { streamLabel } from "../../../webview-ui/views/replay/streamLabel.ts";
import { sampled, THINKING_TEMPLATE, tinyModel } from "../../core/chat/tinyModel.ts";
import { aGate } from "../../core/rollout/builders.ts";
import { result, scriptedEnvironment } from "../../core/rollout/scriptedEnvironment.ts";
import {
  call,
  ended,
  renderer,
  scriptedSampler,
  tokenizer,
} from "../../core/rollout/scriptedModel.ts";
import { aRecord, aRecordedTurn } from "../../core/runFolder/builders.ts";
import { aTask, someSettings } from "../../core/training/builders.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { filesOnDisk, folderOfAllTests } from "../../fakes/onDisk.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { writeHardRun } from "./writtenRun.ts";

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
  const record = aRecord({
    turns: [
      aRecordedTurn({ content, lead, calls: calls.map((call) => ({ ...call, args: "{}" })) }),
    ],
  });
  const [replayed] = rolloutBody(record).turns;
  expect(replayed?.content.text).toBe(before);
  expect(replayed?.afterCalls.text).toBe(after);
});

it("the tools offered to the model are stored with its rollout and replayed", async () => {
  const clock = new FakeClock();
  const environment = scriptedEnvironment([
    { onCall: () => result("", { reward: 1, finished: true }) },
  ]);
  const playing = runRollout(
    {
      gate: aGate(environment, clock),
      sampler: scriptedSampler([ended(call("answer"))]),
      chat: { renderer, tokenizer },
      clock,
      log: silentLog,
      settings: someSettings({}),
      random: { uuid: () => "id", uniform: () => 0 },
      sampleSlot: async () => () => undefined,
      seedOf: () => 1,
    },
    aTask(),
    new AbortController().signal,
  );
  const { record } = (await clock.run(playing)).finish();
  expect(rolloutBody(rolloutRecordSchema.parse(record)).tools).toEqual([
    { name: "add", description: { text: "Adds.", omitted: 0 } },
    { name: "answer", description: { text: "Ends.", omitted: 0 } },
  ]);
});

describe("a rollout of three token streams, two of them trained", () => {
  const parent = folderOfAllTests();
  const fileSystem = filesOnDisk();
  let reader: RunReader;
  let summary: RolloutSummary | undefined;
  beforeAll(async () => {
    const { folder, step } = await writeHardRun(fileSystem, parent, { rollouts: 8, tokens: 620 });
    reader = createRunReader(fileSystem.within(folder), folder);
    [summary] = await reader.rollouts(step);
  });

  it("is listed with the positions of the stored streams", () => {
    expect(summary && rolloutRow(summary).streams).toEqual([0, 2]);
  });

  it("labels each turn and each stream by its position", async () => {
    const record = summary === undefined ? null : await reader.body(summary);
    const turns = record === null ? [] : rolloutBody(record).turns;
    expect(turns.map(({ stream }) => stream)).toEqual([0, 0, 1, 2]);
    expect([0, 2].map((stream) => streamLabel(stream, turns))).toEqual([
      "1: turns 1 to 2",
      "3: turn 4",
    ]);
    expect(streamLabel(0, [])).toBe("1");
  });

  it("shows in a terminal where another stream begins", async () => {
    const record = summary === undefined ? null : await reader.body(summary);
    if (record === null) throw new Error("the rollout is stored");
    const lines = replayLines(record, { title: "", score: null, width: 100 });
    const text = lines.map((line) => JSON.stringify(line));
    const at = (part: string): number => text.findIndex((line) => line.includes(part));
    expect(at("3 token streams")).toBeGreaterThan(0);
    expect(at("stream 2:")).toBeGreaterThan(at("turn 2"));
    expect(at("stream 2:")).toBeLessThan(at("turn 3"));
    expect(at("stream 3:")).toBeGreaterThan(at("turn 3"));
    expect(at("stream 1:")).toBe(-1);
  });
});
