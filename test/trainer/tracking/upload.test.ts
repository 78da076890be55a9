import { expect, it } from "vitest";
import type { NewRunEvent } from "../../../src/core/runFolder/events.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { createUsageLog } from "../../../src/core/runFolder/usageLog.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { RunControl } from "../../../src/core/training/run/control.ts";
import type { ProgressEvent } from "../../../src/core/training/run/progress.ts";
import { sha256 } from "../../../src/node/hash.ts";
import type { ReportContext } from "../../../src/trainer/tracking/reportContext.ts";
import { RolloutUploads } from "../../../src/trainer/tracking/upload.ts";
import { stepFinished } from "../../cli/fakeProgram.ts";
import { UploadService } from "../../core/openreward/uploadService.ts";
import { aRecord } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { aConfig } from "../../core/training/builders.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { silentLog } from "../../fakes/silentLog.ts";

const KEY = "or_1234567";

async function setUp(promptText: string) {
  const service = new UploadService();
  const clock = new FakeClock();
  const fileSystem = createMemoryFileSystem();
  const events: NewRunEvent[] = [];
  const reported: ProgressEvent[] = [];
  const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder: "run" });
  await store.addRollout(aRecord({ promptText }));
  await store.addScores(0, [{ group: 0, rollout: 0, advantage: 1, trainingUse: "trained" }]);
  const redactor = new Redactor();
  for (const secret of ["open-sesame", KEY]) redactor.learn(secret);
  const random = { uuid: () => "", uniform: () => 1 };
  const context: ReportContext = {
    config: aConfig({ openreward_run_name: "mine", openreward_upload: true }),
    totalSteps: null,
    control: new RunControl(),
    ports: { clock, random, sha256 },
    storage: {
      fileSystem,
      folder: "run",
      store,
      attempt: 1,
      stage: null,
      usage: createUsageLog({ fileSystem, folder: "run", log: silentLog }),
    },
    reporting: {
      events: { record: async (event) => void events.push(event) },
      watch: (event) => void reported.push(event),
      log: silentLog,
      redactor,
      enterPhase: async () => undefined,
    },
  };
  const uploads = new RolloutUploads({
    context,
    address: {
      url: "https://api.test",
      key: KEY,
      keySource: { name: "OPENREWARD_API_KEY", origin: "dotenv" },
    },
    file: { runId: "id", name: "run" },
    firstStep: 0,
    http: service.http,
  });
  const watch = uploads.beside((event) => void reported.push(event));
  const playStep = (): void => {
    watch({ kind: "step-started", step: 0, rollouts: 1 });
    watch(stepFinished({ step: 0 }));
  };
  const drain = () => clock.run(uploads.drain("done"));
  return { service, clock, fileSystem, events, reported, uploads, playStep, drain };
}

const isOurs = ({ kind }: ProgressEvent): boolean => kind === "warning" || kind === "uploading";

it("a finished step is uploaded under the run's name at OpenReward, without the secrets known by then", async () => {
  const { service, reported, playStep, drain } = await setUp("Say open-sesame.");
  playStep();
  await drain();
  const [rollout] = [...service.rollouts.values()];
  expect(rollout?.starts[0]).toMatchObject({ runName: "mine" });
  expect(rollout?.messages[1]).toMatchObject({ content: "Say ***." });
  expect(reported.map(({ kind }) => kind).slice(0, 2)).toEqual(["step-started", "step-finished"]);
});

it("an unavailable service causes one warning, an event each time, and a bounded wait at the end", async () => {
  const { service, clock, events, reported, playStep, drain } = await setUp("Prompt.");
  service.fault = () => ({ status: 503, json: { message: "down" } });
  playStep();
  await clock.advance(10 * 60_000);
  expect(reported.filter(isOurs)).toEqual([
    { kind: "warning", message: expect.stringMatching(/^OpenReward does not accept .*503: down/) },
  ]);
  await drain();
  expect(reported.filter(isOurs).slice(1)).toEqual([
    { kind: "uploading", waiting: 1, isOver: false },
    { kind: "uploading", waiting: 1, isOver: true },
  ]);
  expect(events.map(({ kind, level, data }) => [kind, level, data])).toEqual([
    ["upload-waits", "warn", { waiting: 1 }],
    ["upload-left", "warn", { waiting: 1 }],
  ]);
});

it("a service that is unavailable only at the end is reported before the wait is over", async () => {
  const { service, clock, reported, playStep, drain } = await setUp("Prompt.");
  service.fault = () => "broken";
  playStep();
  const drained = drain();
  await clock.advance(6_000);
  expect(reported.filter(isOurs)).toEqual([
    { kind: "uploading", waiting: 1, isOver: false },
    { kind: "warning", message: "OpenReward does not accept rollouts (connection reset)." },
  ]);
  await drained;
  expect(clock.monotonic()).toBeLessThan(120_000);
  expect(reported.filter(isOurs).slice(2)).toEqual([
    { kind: "uploading", waiting: 1, isOver: true },
  ]);
});

it("a local failure is not reported as a problem of the key", async () => {
  const { fileSystem, reported, playStep, drain } = await setUp("Prompt.");
  fileSystem.allowedWrites = 0;
  playStep();
  await drain();
  const [warning] = reported.filter(({ kind }) => kind === "warning");
  expect(warning).toEqual({
    kind: "warning",
    message:
      "No more rollouts are uploaded to OpenReward (The power is gone). The run continues; a resume uploads them.",
  });
});

it("a stopped run waits at most a minute for the rest", async () => {
  const { service, clock, uploads, playStep } = await setUp("Prompt.");
  service.fault = () => "hang";
  playStep();
  await clock.run(uploads.drain("stopped"));
  expect(clock.monotonic()).toBe(60_000);
});

it("a rejected key is reported with its origin and without its value", async () => {
  const { service, reported, events, playStep, drain } = await setUp("Prompt.");
  service.fault = () => ({ status: 401, json: { message: `no such key: ${KEY}` } });
  playStep();
  await drain();
  const [warning] = reported.filter(({ kind }) => kind === "warning");
  expect(warning).toMatchObject({
    message: expect.stringMatching(
      /^OpenReward accepts no rollouts .*OPENREWARD_API_KEY \(from \.env\)/,
    ),
  });
  expect(events.map(({ kind }) => kind)).toEqual(["upload-denied", "upload-left"]);
  expect(JSON.stringify([reported, events])).not.toContain(KEY);
});
