import { resolve } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import {
  appendCheckpoint,
  type CheckpointEntry,
} from "../../../src/core/runFolder/checkpointLog.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { rewindTo } from "../../../src/core/runFolder/resumePoints.ts";
import { readState, writeState } from "../../../src/core/runFolder/state.ts";
import { readRun } from "../../../src/core/runs/runList.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import type { ServiceClient } from "../../../src/core/tinker/serviceClient.ts";
import type { Preparation } from "../../../src/core/training/prepare.ts";
import { loadConfig, writeConfigFiles } from "../../../src/trainer/config/configFiles.ts";
import { reportRewind } from "../../../src/trainer/resume/reportRewind.ts";
import { planResume } from "../../../src/trainer/resume/resume.ts";
import { textWith } from "../../core/config/configText.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem, createStillClock } from "../../core/runFolder/memoryFileSystem.ts";
import { aContext, fakeService } from "../../core/training/fakeContext.ts";
import { FakeTrainingClient } from "../../core/training/fakeTrainingClient.ts";
import { startedRun } from "../../fakes/startedRun.ts";
import { aRunState } from "../runState.ts";

const path = resolve("/project/run.yaml");
let fileSystem: ReturnType<typeof createMemoryFileSystem>;
let folder: string;

async function startRun(overrides: readonly string[], clock = createStillClock()): Promise<void> {
  fileSystem = createMemoryFileSystem();
  write(textWith());
  ({ folder } = await startedRun(fileSystem, "/runs", { configPath: path }, clock));
  const loaded = await loadConfig(fileSystem, path, overrides);
  await writeConfigFiles(fileSystem, folder, loaded, new Redactor());
}

/** A run that was started with overrides and has saved a state. */
beforeEach(async () => {
  await startRun(["batch_size=9", "learning_rate=1e-4"]);
  await writeState(fileSystem, folder, aRunState(2));
});

function write(text: string): void {
  fileSystem.files.set(path, new TextEncoder().encode(text));
}

function plan(overrides: readonly string[] = []) {
  const request = { folder, owner: "terminal" as const, overrides, watch: () => undefined };
  return planResume(fileSystem, request);
}

describe("a resume", () => {
  it("keeps the overrides that the run was started with", async () => {
    const { loaded } = await plan();
    expect(loaded.config).toMatchObject({ batch_size: 9, learning_rate: 1e-4 });
  });

  it("adds its own overrides, and stores them too", async () => {
    const { loaded, changed } = await plan(["learning_rate=2e-4", "max_steps=50"]);
    expect(loaded.config).toMatchObject({ learning_rate: 2e-4, max_steps: 50 });
    expect(changed?.values).toContainEqual({
      path: ["learning_rate"],
      before: 1e-4,
      after: 2e-4,
    });
    await writeConfigFiles(fileSystem, folder, loaded, new Redactor());
    expect((await plan()).loaded.config).toMatchObject({ learning_rate: 2e-4, max_steps: 50 });
  });

  it("keeps the date shown in the run's prompts, if it was saved", async () => {
    expect((await plan()).promptDate).toBeUndefined();
    await writeState(fileSystem, folder, aRunState(3, { prompt_date: "2026-01-02" }));
    expect((await plan()).promptDate).toBe("2026-01-02");
  });

  it("rejects an override that would make it another run", async () => {
    await expect(plan(["seed=7"])).rejects.toMatchObject({
      code: "config-identity",
      message: expect.stringMatching(/^--overrides seed=7: error: seed changed/),
    });
    write(textWith("seed: 7"));
    await expect(plan()).rejects.toThrow(/run\.yaml: error: seed changed/);
  });

  it("stops at a later step, but not at one that it has completed", async () => {
    expect((await plan(["stop_at_step=3"])).loaded.config.stop_at_step).toBe(3);
    await expect(plan(["stop_at_step=2"])).rejects.toMatchObject({
      code: "config-invalid",
      message:
        "--overrides stop_at_step=2: error: The run has already completed 2 steps and cannot stop at step 2. Choose a later step, or `null` to train to the end.",
    });
  });

  it("cannot have fewer steps than it has completed", async () => {
    expect((await plan(["max_steps=2"])).loaded.config.max_steps).toBe(2);
    await expect(plan(["max_steps=1"])).rejects.toThrow(
      "--overrides max_steps=1: error: The run has already completed 2 steps. Set max_steps to 2 or more.",
    );
  });

  it("warns that it does not begin with other weights", async () => {
    expect((await plan(["init_from=/runs/other"])).loaded.warnings).toEqual([
      "--overrides init_from=/runs/other: warning: init_from has no effect. The run has begun, and continues with its own weights.",
    ]);
  });

  it("goes on beyond the step that stopped the run", async () => {
    await startRun(["stop_at_step=2"]);
    await writeState(fileSystem, folder, aRunState(2));
    expect((await plan()).loaded.config.stop_at_step).toBe(2);
  });

  it("resumes with a prompt although its own copy lacks a secret of it", async () => {
    const prompt = (key: string) => textWith(`system_prompt_template: Use ${key} for the search.`);
    write(prompt("sk-0123456789"));
    const redactor = new Redactor();
    redactor.learn("sk-0123456789");
    const loaded = await loadConfig(fileSystem, path, ["batch_size=9", "learning_rate=1e-4"]);
    await writeConfigFiles(fileSystem, folder, loaded, redactor);
    expect((await plan()).loaded.config.system_prompt_template).toContain("sk-0123456789");
    write(textWith("system_prompt_template: Search."));
    await expect(plan()).rejects.toThrow(/system_prompt_template changed/);
  });

  it("resumes although a secret equals a setting, a number, or a part of a name", async () => {
    write(textWith("seed: 123456", "wandb: disabled"));
    const redactor = new Redactor();
    for (const secret of ["disabled", "123456", "Owner/"]) redactor.learn(secret);
    const loaded = await loadConfig(fileSystem, path, ["batch_size=9", "learning_rate=1e-4"]);
    await writeConfigFiles(fileSystem, folder, loaded, redactor);
    expect((await plan()).changed?.keys).toEqual([]);
  });

  it("accepts overrides even when the configuration file no longer exists", async () => {
    fileSystem.files.delete(path);
    const { loaded } = await plan(["max_steps=50"]);
    expect(loaded.config).toMatchObject({ batch_size: 9, max_steps: 50 });
    expect(loaded.warnings[0]).toContain("the configuration file no longer exists");
  });
});

describe("a run whose newest save no longer exists", () => {
  const HOUR_MS = 3_600_000;
  const clock = createStillClock();
  const expires_at = new Date(clock.now() + 24 * HOUR_MS).toISOString();
  const weights = (name: string) => `tinker://a/weights/${name}`;

  function aState(step: number, name: string, expires: string | null = null) {
    const paths = { step, state_path: weights(name), sampler_path: null };
    return aRunState(step, {
      last_checkpoint: { ...paths, expires_at: expires },
      dataset: { fingerprint: "f", cursor: 4 * step },
    });
  }

  function aSave(step: number): CheckpointEntry {
    const name = `checkpoint_${String(step).padStart(6, "0")}`;
    return aCheckpointEntry({
      name,
      step,
      position: 4 * step,
      state_path: weights(name),
      state: aState(step, name),
    });
  }

  /** Seventeen completed steps, a permanent save after ten, and a rolling one after fifteen. */
  beforeEach(async () => {
    await startRun([], clock);
    const rows = Array.from({ length: 17 }, (_, step) => `{"step":${step}}\n`).join("");
    await fileSystem.append(runPaths(folder).metrics, rows);
    await appendCheckpoint(fileSystem, folder, aSave(10));
    await writeState(fileSystem, folder, aState(15, "rolling_000015", expires_at));
  });

  /** Has only these saves, and fails with `refusal` for any other. */
  function aService(
    living: readonly string[],
    changes: Partial<ServiceClient> = {},
  ): ServiceClient {
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

  async function plan(changes: Partial<Preparation> = {}) {
    const planned = await planResume(fileSystem, { folder, owner: "terminal" });
    const start = (service: ServiceClient) =>
      planned.createModel(
        { service, close: async () => undefined },
        { ...aPreparation(), ...changes },
      );
    return { planned, start };
  }

  const stepsIn = async () =>
    (await fileSystem.readText(runPaths(folder).metrics)).split("\n").filter(Boolean).length;

  describe("a resume whose newest save no longer exists", () => {
    const lasting = weights("checkpoint_000010");
    const NO_EXAMPLES = { trained: [], heldOut: [], digest: "" };

    it("starts from the newest existing save, with the values that belong to it", async () => {
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

    it("never returns to a save that was abandoned, because its steps have changed since", async () => {
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
    ])("uses the newest save that the service still has: %s", async (_, living, step) => {
      const none = () => Promise.reject(new AppError("tinker-not-found", "Not found."));
      const service = aService(living, step === 10 ? { listCheckpoints: none } : {});
      expect((await (await plan()).start(service)).start.step).toBe(step);
    });

    it("reads it from the list of checkpoints if the state cannot be read", async () => {
      const { state } = runPaths(folder);
      await fileSystem.writeAtomic(state, "{");
      expect((await (await plan()).start(aService([lasting]))).start.step).toBe(10);
    });

    it.each([
      ["environments", undefined, /^The number of tasks in an environment changed/],
      ["data", NO_EXAMPLES, /^The examples of data, or which of them are held out, changed/],
    ])("rejects other tasks or examples: %s", async (configPath, examples, message) => {
      const sequence = { ...aPreparation().sequence, fingerprint: "other" };
      const { start } = await plan({ sequence, examples });
      const refused = { configPath, message: expect.stringMatching(message) };
      await expect(start(aService([lasting]))).rejects.toMatchObject(refused);
    });

    it("names the split whose number of tasks changed, and the checkpoint to start from", async () => {
      const { state: path } = runPaths(folder);
      const state = JSON.parse(await fileSystem.readText(path));
      state.dataset.tasks = { "Owner/Game train": 8, "Owner/Other train": 3 };
      await fileSystem.writeAtomic(path, JSON.stringify(state));
      const { sequence } = aPreparation();
      const [source] = sequence.sources;
      if (source === undefined) throw new Error("There is no source.");
      const sources = [
        { ...source, environment: "Owner/Game", split: "train", count: 9 },
        { ...source, environment: "Owner/Other", split: "train", count: 3 },
      ];
      const { start } = await plan({ sequence: { ...sequence, sources, fingerprint: "other" } });
      await expect(start(aService([lasting]))).rejects.toThrow(
        `The number of tasks in Owner/Game train (8 before, now 9) changed since the run began, so its plan cannot continue. Start a new run from its weights with resume_from: ${state.last_checkpoint.state_path}.`,
      );
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
      const fault = new AppError("tinker-request-failed", "No room.", {
        data: { category: "user" },
      });
      const fails = () => Promise.reject(fault);
      const living = [weights("rolling_000015"), lasting];
      const service = aService(living, { createTrainingClientFromState: fails });
      await expect(start(service)).rejects.toBe(fault);
      expect(fileSystem.files).toEqual(before);
    });

    it("does not start over when all saves were deleted on purpose", async () => {
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

  describe("the report of a save that expires", () => {
    const liveness = () => ({ nowMs: clock.now(), isProcessAlive: () => false });
    const listed = (nowMs: number) =>
      readRun(fileSystem, { name: "demo", folder }, { ...liveness(), nowMs });

    it("shows in the list of runs when it expires and what a resume repeats then", async () => {
      const atMs = Date.parse(expires_at);
      expect(await listed(clock.now())).toMatchObject({ repeats: 2, expiry: { atMs, repeats: 7 } });
      expect(await listed(atMs)).toMatchObject({ repeats: 7, expiry: null });
    });

    it("says that steps are repeated once it no longer exists", async () => {
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
});
