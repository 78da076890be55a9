/** A run whose last save had expired could not be resumed, although an older one lived, and its rows were moved before that was found out. */

import { resolve } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { AppError } from "../../src/core/errors.ts";
import { appendCheckpoint, type CheckpointEntry } from "../../src/core/runFolder/checkpointLog.ts";
import { runPaths } from "../../src/core/runFolder/files/layout.ts";
import { rewindTo } from "../../src/core/runFolder/resumePoints.ts";
import { startRun } from "../../src/core/runFolder/runFolder.ts";
import { readState, writeState } from "../../src/core/runFolder/state.ts";
import { readRun } from "../../src/core/runs/runList.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import type { ServiceClient } from "../../src/core/tinker/serviceClient.ts";
import type { Preparation } from "../../src/core/training/prepare.ts";
import { loadConfig, writeConfigFiles } from "../../src/trainer/config/configFiles.ts";
import { reportRewind, warnOfExpiry } from "../../src/trainer/reportRewind.ts";
import { planResume } from "../../src/trainer/resume.ts";
import { textWith } from "../core/config/configText.ts";
import { createMemoryFileSystem, createStillClock } from "../core/runFolder/memoryFileSystem.ts";
import { aContext, fakeService } from "../core/training/fakeContext.ts";
import { FakeTrainingClient } from "../core/training/fakeTrainingClient.ts";
import { aRunState } from "../trainer/runState.ts";

const HOUR_MS = 3_600_000;
const clock = createStillClock();
const expires_at = new Date(clock.now() + 24 * HOUR_MS).toISOString();
const weights = (name: string) => `tinker://a/weights/${name}`;
let fileSystem: ReturnType<typeof createMemoryFileSystem>;
let folder: string;

function aState(step: number, name: string, expires: string | null = null) {
  const paths = { step, state_path: weights(name), sampler_path: null };
  return aRunState(step, {
    last_checkpoint: { ...paths, expires_at: expires },
    dataset: { fingerprint: "f", cursor: 4 * step },
  });
}

function aSave(step: number): CheckpointEntry {
  const name = `checkpoint_${String(step).padStart(6, "0")}`;
  return {
    name,
    step,
    epoch: 0,
    position: 4 * step,
    kind: "periodic",
    renderer: "r",
    metrics: {},
    state_path: weights(name),
    sampler_path: null,
    expires_at: null,
    created_at: "",
    state: aState(step, name),
  };
}

/** Seventeen completed steps, a lasting save after ten, and a rolling one after fifteen. */
beforeEach(async () => {
  fileSystem = createMemoryFileSystem();
  const path = resolve("/project/run.yaml");
  fileSystem.files.set(path, new TextEncoder().encode(textWith()));
  const run = { parent: "/runs", name: "demo", runId: "a", pid: 1, owner: "terminal" as const };
  ({ folder } = await startRun({ fileSystem, clock }, { ...run, configPath: path }));
  await writeConfigFiles(fileSystem, folder, await loadConfig(fileSystem, path), new Redactor());
  const rows = Array.from({ length: 17 }, (_, step) => `{"step":${step}}\n`).join("");
  await fileSystem.append(runPaths(folder).metrics, rows);
  await appendCheckpoint(fileSystem, folder, aSave(10));
  await writeState(fileSystem, folder, aState(15, "rolling_000015", expires_at));
});

/** Has these saves only, and says so as `refusal` does when it is asked for another. */
function aService(living: readonly string[], changes: Partial<ServiceClient> = {}): ServiceClient {
  const fault = () =>
    new AppError("tinker-request-failed", "No such checkpoint.", { data: { category: "user" } });
  return {
    ...fakeService([]),
    createTrainingClientFromState: (path) =>
      living.includes(path) ? Promise.resolve(new FakeTrainingClient()) : Promise.reject(fault()),
    listCheckpoints: async () =>
      living.map((path) => ({
        path,
        time: null,
        sizeBytes: null,
        isPublic: null,
        expiresAt: null,
        userMetadata: {},
      })),
    ...changes,
  };
}

function aPreparation(): Preparation {
  const { sequence, services } = aContext();
  const found = { ...sequence, fingerprint: "f" };
  return { chat: services.chat, environments: new Map(), sequence: found, totalSteps: null };
}

async function plan() {
  const planned = await planResume(fileSystem, {
    folder,
    owner: "terminal",
  });
  const start = (service: ServiceClient) =>
    planned.createModel({ service, close: async () => undefined }, aPreparation());
  return { planned, start };
}

const stepsIn = async () =>
  (await fileSystem.readText(runPaths(folder).metrics)).split("\n").filter(Boolean).length;

describe("a resume whose newest save is gone", () => {
  const lasting = weights("checkpoint_000010");

  it("goes on from the newest that lives, with what belongs to it", async () => {
    const { planned, start } = await plan();
    const model = await start(aService([lasting]));
    expect(model.start).toMatchObject({ step: 10, cursor: 40, optimizerUpdates: 10 });
    expect(model.rewind).toMatchObject({ completed: 17, gone: [{ state: { step: 15 } }] });
    expect(await stepsIn()).toBe(17);
    const lease = await planned.claim(model);
    await lease.update({ phase: "failed" });
    expect(await stepsIn()).toBe(10);
    expect(await readState(fileSystem, folder)).toMatchObject({ step: 10 });
    expect((await plan()).planned.start.step).toBe(10);
  });

  it("never comes back to one that was given up, because its steps have changed since", async () => {
    await appendCheckpoint(fileSystem, folder, aSave(15));
    const { planned, start } = await plan();
    const lease = await planned.claim(await start(aService([lasting])));
    await lease.update({ phase: "failed" });
    const again = await (await plan()).start(aService([lasting, weights("checkpoint_000015")]));
    expect(again.start.step).toBe(10);
  });

  it.each([
    ["the newest lives", [weights("rolling_000015"), lasting], 15],
    ["there is no list of checkpoints", [lasting], 10],
  ])("asks the service: %s", async (_, living, step) => {
    const none = () => Promise.reject(new AppError("tinker-not-found", "Not found."));
    const service = aService(living, step === 10 ? { listCheckpoints: none } : {});
    expect((await (await plan()).start(service)).start.step).toBe(step);
  });

  it("reads it from the list of checkpoints when no state can be read", async () => {
    const { state } = runPaths(folder);
    await fileSystem.writeAtomic(state, "{");
    expect((await (await plan()).start(aService([lasting]))).start.step).toBe(10);
  });

  it("changes nothing when no save is left", async () => {
    const before = new Map(fileSystem.files);
    const { start } = await plan();
    await expect(start(aService([]))).rejects.toMatchObject({ code: "state-gone" });
    expect(fileSystem.files).toEqual(before);
  });

  it("changes nothing when the service fails for another reason", async () => {
    const before = new Map(fileSystem.files);
    const { start } = await plan();
    const fault = new AppError("tinker-request-failed", "No room.", { data: { category: "user" } });
    const fails = () => Promise.reject(fault);
    const living = [weights("rolling_000015"), lasting];
    const service = aService(living, { createTrainingClientFromState: fails });
    await expect(start(service)).rejects.toBe(fault);
    expect(fileSystem.files).toEqual(before);
  });

  it("does not begin anew when all saves were deleted on purpose", async () => {
    const gone = { ...aSave(10), expires_at: new Date(0).toISOString() };
    await appendCheckpoint(fileSystem, folder, gone);
    await rewindTo(
      fileSystem,
      folder,
      {
        point: { state: aState(10, gone.name), statePath: lasting, expiresAtMs: null },
        gone: [],
      },
      clock.now(),
    );
    const { start } = await plan();
    await expect(start(aService([]))).rejects.toMatchObject({ code: "state-gone" });
  });
});

describe("what is reported of a save that does not last", () => {
  const liveness = () => ({ nowMs: clock.now(), isProcessAlive: () => false });
  const listed = (nowMs: number) =>
    readRun(fileSystem, { name: "demo", folder }, { ...liveness(), nowMs });

  it("is when it expires and what a resume repeats then, in the list of runs", async () => {
    const atMs = Date.parse(expires_at);
    expect(await listed(clock.now())).toMatchObject({ repeats: 2, expiry: { atMs, repeats: 7 } });
    expect(await listed(atMs)).toMatchObject({ repeats: 7, expiry: null });
  });

  it("is how long it is kept, when the run fails", async () => {
    const own = aContext();
    const context = { ...own, storage: { ...own.storage, fileSystem, folder } };
    context.clock.now = () => clock.now() + HOUR_MS;
    await warnOfExpiry(context);
    expect(context.progress).toEqual([
      {
        kind: "warning",
        message:
          "The last state, rolling_000015 after step 15, expires in 23 h 00 min. Resume the run before that: after that, a resume repeats 5 more steps.",
      },
    ]);
    await rewindTo(
      fileSystem,
      folder,
      {
        point: { state: aState(10, "checkpoint_000010"), statePath: "", expiresAtMs: null },
        gone: [],
      },
      clock.now(),
    );
    await warnOfExpiry(context);
    expect(context.progress).toHaveLength(1);
  });

  it("is that steps are repeated, when it is gone", async () => {
    const own = aContext();
    const context = { ...own, storage: { ...own.storage, fileSystem, folder } };
    const model = await (await plan()).start(aService([weights("checkpoint_000010")]));
    if (model.rewind === undefined) throw new Error("the newest save is gone");
    await reportRewind(context, model.rewind);
    const [reported] = context.progress;
    expect(reported).toMatchObject({
      message: expect.stringMatching(
        /: rolling_000015 has expired\. The run continues from checkpoint_000010, after step 10: 7 steps are repeated\.$/,
      ),
    });
  });
});
