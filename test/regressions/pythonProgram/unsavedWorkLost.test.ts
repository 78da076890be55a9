import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { startRun } from "../../../src/core/runFolder/runFolder.ts";
import { writeState } from "../../../src/core/runFolder/state.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { loadConfig, writeConfigFiles } from "../../../src/trainer/config/configFiles.ts";
import { planResume } from "../../../src/trainer/resume.ts";
import { textWith } from "../../core/config/configText.ts";
import { call, ended, scriptedSampler } from "../../core/rollout/scriptedModel.ts";
import { createMemoryFileSystem, createStillClock } from "../../core/runFolder/memoryFileSystem.ts";
import { type LoopRun, positionOf, prepareRun } from "../../core/training/loop/prepareRun.ts";
import { jsonBody } from "../../fakes/fakeHttp.ts";
import { fakeTinker } from "../../fakes/fakeTinker.ts";
import { aRunState } from "../../trainer/runState.ts";
import * as original from "./original.ts";

/** Stops the run, or breaks it, when it has completed two steps. */
function atStepTwo(set: LoopRun, happen: () => void): void {
  set.context.client.sampler = scriptedSampler([ended(call("answer"))], {
    beforeAnswer: async () => {
      if (set.rows().length === 2) happen();
    },
  });
}

describe("a run that ends between two regular saves", () => {
  const config = { save_every: 10 };

  it("a run is saved when its steps are done, and the path is written down", async () => {
    expect(original.saves(3, 10)).toEqual([]);
    const done = prepareRun({ config });
    const end = await done.run();
    expect(await done.checkpoints()).toMatchObject([
      { kind: "final", step: 3, state_path: end.statePath, sampler_path: end.samplerPath },
    ]);
  });

  it("a run is saved when it is asked to stop", async () => {
    expect(original.saves(2, 10)).toEqual([]);
    const stopped = prepareRun({ config, steps: null });
    atStepTwo(stopped, () => stopped.context.control.stop());
    expect(await stopped.run()).toMatchObject({ outcome: "stopped", step: 2 });
    expect(await stopped.checkpoints()).toMatchObject([{ kind: "interrupt", step: 2 }]);
  });

  it("a run saves when it is asked to, during a step and without waiting for its end", async () => {
    expect(original.saves(2, 10)).toEqual([]);
    const saving = prepareRun({ config });
    const names: string[] = [];
    atStepTwo(saving, () => {
      if (names.length > 0) return;
      names.push("asked");
      void saving.context.control.saveNow().then(({ name }) => names.push(name));
    });
    const end = await saving.run();
    expect(names).toEqual(["asked", "manual_000002"]);
    expect(end).toMatchObject({ outcome: "done", step: 3 });
    expect(await saving.checkpoints()).toMatchObject([
      { kind: "manual", step: 2 },
      { kind: "final", step: 3 },
    ]);
  });

  it("a run pauses between two steps when it is asked to, and goes on as if it had not", async () => {
    const undisturbed = prepareRun({ config, steps: 4 });
    await undisturbed.run();
    const phases: string[] = [];
    const paused = prepareRun({
      config,
      steps: 4,
      onPhase: (phase) => {
        phases.push(`${phase} after ${paused.rows().length}`);
        if (phase === "paused") paused.context.control.continue();
      },
    });
    atStepTwo(paused, () => paused.context.control.pause());
    await paused.run();
    expect(phases).toEqual(["paused after 3", "running after 3"]);
    const { lossCalls } = paused.context.client;
    expect(lossCalls).toEqual(undisturbed.context.client.lossCalls);
  });

  it("a run keeps its last good state when a service fails", async () => {
    expect(original.saves(2, 10)).toEqual([]);
    const broken = prepareRun({ config: { ...config, rolling_save_every: 1 } });
    const { client } = broken.context;
    const refused = new AppError("tinker-unavailable", "Tinker is away.");
    atStepTwo(broken, () => {
      client.forwardBackward = () => Promise.reject(refused);
    });
    await expect(broken.run()).rejects.toBe(refused);
    expect(await positionOf(broken)).toMatchObject({ step: 2, cursor: 2 });

    const environment = prepareRun({ config });
    const gone = new AppError("environment-auth", "The key was withdrawn.");
    atStepTwo(environment, () => {
      throw gone;
    });
    await expect(environment.run()).rejects.toMatchObject({ code: gone.code, cause: gone });
    expect(await environment.checkpoints()).toMatchObject([{ kind: "interrupt", step: 2 }]);
  });
});

describe("a resume", () => {
  const path = "/project/run.yaml";

  /** Resumes a run of the minimal configuration with these settings over it. */
  async function resume(override: string) {
    const fileSystem = createMemoryFileSystem();
    fileSystem.files.set(path, new TextEncoder().encode(textWith()));
    const run = {
      parent: "/runs",
      name: "demo",
      runId: "a",
      pid: 1,
      host: "here",
      configPath: path,
    };
    const starter = { ...run, owner: "terminal" as const };
    const { folder } = await startRun({ fileSystem, clock: createStillClock() }, starter);
    const loaded = await loadConfig(fileSystem, path);
    await writeConfigFiles(fileSystem, folder, loaded, new Redactor());
    await writeState(fileSystem, folder, aRunState(2));
    const request = { folder, owner: "terminal" as const, overrides: [override] };
    return planResume(fileSystem, request);
  }

  it.each([
    "model_name=Qwen/Qwen3-32B",
    "lora_rank=64",
    "tokenizer_name=a/b",
    "chat_format=reference",
  ])("a resume refuses another model, rank, tokenizer or chat format: %s", async (override) => {
    const changed = { model_name: "Qwen/Qwen3-32B", lora_rank: 64 };
    expect(original.resumeWith(changed)).toMatchObject({
      model: "Qwen/Qwen3-32B",
      isRefused: false,
    });
    await expect(resume(override)).rejects.toMatchObject({
      code: "config-identity",
      configPath: override.slice(0, override.indexOf("=")),
    });
    await expect(resume("learning_rate=1e-4")).resolves.toHaveProperty("start.step", 2);
  });
});

it("sampler weights are saved under the name that was asked for", async () => {
  expect(original.samplerSaveBody("best")).not.toHaveProperty("path");
  const { connect, clock, requestsTo } = fakeTinker();
  const service = await connect();
  const created = service.createTrainingClient({ baseModel: "org/model", rank: 8 });
  const client = await clock.run(created);
  const saved = await clock.run(client.saveSampler("best"));
  expect(saved.path).toMatch(/\/sampler_weights\/best$/);
  expect(requestsTo("save_weights_for_sampler").map(jsonBody)).toMatchObject([{ path: "best" }]);
  service.close();
});
