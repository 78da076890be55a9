import { expect, it } from "vitest";
import { runRollout } from "../../src/core/rollout/rollout.ts";
import { rolloutRecordSchema } from "../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { rolloutBody } from "../../src/host/dashboard/rolloutViews.ts";
import { aGate } from "../core/rollout/builders.ts";
import { result, scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import {
  call,
  ended,
  renderer,
  scriptedSampler,
  tokenizer,
} from "../core/rollout/scriptedModel.ts";
import { aRecord } from "../core/runFolder/builders.ts";
import { aTask, someSettings } from "../core/training/builders.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import { silentLog } from "../fakes/silentLog.ts";

it("the tools that the model was offered are kept with its rollout and replayed", async () => {
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

it("a rollout of a run that kept none is replayed without them", () => {
  const { tools: _, ...older } = aRecord();
  expect(rolloutBody(rolloutRecordSchema.parse(older)).tools).toEqual([]);
});
