import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { CheckpointEntry } from "../../../src/core/runFolder/checkpointLog.ts";
import type { SamplingClient } from "../../../src/core/tinker/samplingClient.ts";
import type { ServiceClient } from "../../../src/core/tinker/serviceClient.ts";
import { chooseModel } from "../../../src/trainer/chat/chooseModel.ts";
import type { FoundTurn } from "../../../src/trainer/chat/findStoredTurn.ts";
import { aCheckpointEntry, aRunFile } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { aRunState } from "../runState.ts";

const FOLDER = "/runs/demo";
const RUN_FILE = aRunFile({
  runId: "run-1",
  attempt: 0,
  phase: "done",
  configPath: "/project/demo.yaml",
});
const CONFIG = {
  model_name: "Qwen/Qwen3-8B",
  batch_size: 1,
  max_steps: 1,
  environments: { "Owner/Game": { splits: { train: {} }, num_rollouts: 2 } },
};

function saved(name: string, changes: Partial<CheckpointEntry> = {}): CheckpointEntry {
  return aCheckpointEntry({
    name,
    step: 1,
    state_path: `tinker://run-1/weights/${name}`,
    sampler_path: `tinker://run-1/sampler_weights/${name}`,
    ...changes,
  });
}

async function aRun(...checkpoints: readonly CheckpointEntry[]) {
  const files = createMemoryFileSystem();
  await files.writeAtomic(`${FOLDER}/run.json`, JSON.stringify(RUN_FILE));
  await files.writeAtomic(`${FOLDER}/config.resolved.json`, JSON.stringify(CONFIG));
  const lines = checkpoints.map((each) => `${JSON.stringify(each)}\n`).join("");
  await files.writeAtomic(`${FOLDER}/checkpoints.jsonl`, lines);
  return files;
}

/** A service that has these samplers, of the given base model. */
function aService(samplers: readonly string[], baseModel: string | null = null) {
  const samplerForPath = async (path: string): Promise<SamplingClient> => {
    if (!samplers.includes(path)) throw new AppError("tinker-not-found", `${path} is gone.`);
    return { samplerId: path, baseModel } as SamplingClient; // never sampled from
  };
  const listed = samplers.map((path) => {
    return { path, time: null, sizeBytes: null, expiresAt: null, userMetadata: {} };
  });
  return { samplerForPath, listCheckpoints: async () => listed } as unknown as ServiceClient; // only the methods it calls
}

const choose = async (
  target: string,
  files = createMemoryFileSystem(),
  runFolder: string | null = null,
) => chooseModel(files, { target, runFolder, configPath: null, overrides: [] });

describe("the weights of a conversation", () => {
  it("are not those of a model that the service does not have", async () => {
    const samplerForBase = () => Promise.reject(new AppError("tinker-not-found", "404"));
    const chosen = await choose("local/tiny-tol");
    await expect(chosen.open({ samplerForBase } as unknown as ServiceClient)).rejects.toThrow(
      "The service does not have the model local/tiny-tol. On this computer there is local/tiny-tool.",
    );
  });

  it("are the newest of a run that the service still has and can sample from, with the run's own settings", async () => {
    const files = await aRun(
      saved("old"),
      saved("newest"),
      saved("expired", { expires_at: "2020-01-01T00:00:00Z" }),
      saved("state", { sampler_path: null }),
    );
    const chosen = await choose(FOLDER, files);
    const both = ["old", "newest"].map((name) => `tinker://run-1/sampler_weights/${name}`);
    expect((await chosen.open(aService(both))).label).toBe("demo · newest");
    const left = await chosen.open(aService(both.slice(0, 1)));
    expect([left.label, left.sampler.samplerId]).toEqual(["demo · old", both[0]]);
    expect(left.loaded.config.model_name).toBe("Qwen/Qwen3-8B");
    await expect(chosen.open(aService([]))).rejects.toMatchObject({ code: "no-checkpoint" });
  });

  it("are those of a run after a given step, for a folder with @", async () => {
    const files = await aRun(saved("old"), saved("newest", { step: 2 }));
    const old = "tinker://run-1/sampler_weights/old";
    const chosen = await choose(`${FOLDER}@1`, files);
    const { sampler, label } = await chosen.open(aService([old]));
    expect([sampler.samplerId, label]).toEqual([old, "demo · old"]);
    await expect(choose(`${FOLDER}@7`, files)).rejects.toThrow(/after 7 steps.* these steps: 1, 2/);
  });

  it("are a run's checkpoint, or the model it started from, with the run's settings and date", async () => {
    const state = aRunState(1, { prompt_date: "2026-01-02" });
    const files = await aRun(saved("old", { state }), saved("newest"));
    const path = "tinker://run-1/sampler_weights/old";
    const old = await choose(path, files, FOLDER);
    expect(old).toMatchObject({ label: "demo · old", run: { folder: FOLDER } });
    expect(old.promptDate).toBe("2026-01-02");
    const opened = await old.open(aService([path]));
    expect([opened.sampler.samplerId, opened.label]).toEqual([path, "demo · old"]);
    const base = await choose("Qwen/Qwen3-8B", files, FOLDER);
    const other = await choose("Qwen/Qwen3-32B", files, FOLDER);
    const ofRun = opened.loaded.config.environments;
    expect(Object.keys(ofRun)).toEqual(["Owner/Game"]);
    expect(base.loaded.config.environments).toEqual(ofRun);
    expect(other.loaded.config.environments).not.toEqual(ofRun);
    expect([base.run, other.run]).toEqual([null, null]);
  });

  it("are those that played the rollout for an evaluation, which has no weights of its own", async () => {
    const path = "tinker://run-1/sampler_weights/old";
    const models = [
      { name: "base", path: null, step: 0 },
      { name: "step 1", path, step: 1 },
    ];
    const files = await aRun();
    const evaluation = { ...RUN_FILE, evaluation: { models, digest: "" } };
    await files.writeAtomic(`${FOLDER}/run.json`, JSON.stringify(evaluation));
    const chosen = await choose(FOLDER, files);
    const base = async (name: string) => ({ samplerId: name }) as SamplingClient; // never sampled from
    const service = { ...aService([path]), samplerForBase: base } as ServiceClient; // only the methods it calls
    const goesOn = (model: string) => ({ model }) as FoundTurn; // only the members it reads
    const opened = await chosen.open(service, goesOn("step 1"));
    expect([opened.sampler.samplerId, opened.label]).toEqual([path, "demo · step 1"]);
    const first = await chosen.open(service, goesOn("base"));
    expect([first.sampler.samplerId, first.label]).toEqual(["Qwen/Qwen3-8B", "demo · base"]);
    await expect(chosen.open(service)).rejects.toThrow("demo is an evaluation");
    await expect(choose(`${FOLDER}@1`, files)).rejects.toThrow(
      "demo is an evaluation, which has no weights after 1 step. Specify the folder without @1",
    );
  });

  it("are reported as the user's mistake only if the service does not list them", async () => {
    const path = "tinker://run-1/sampler_weights/nope";
    const files = await aRun(saved("nope"));
    const notThere = { code: "no-such-checkpoint", message: expect.stringContaining(path) };
    for (const folder of [null, FOLDER]) {
      const chosen = await choose(path, files, folder);
      await expect(chosen.open(aService([]))).rejects.toMatchObject(notThere);
      // Here the service does not know, for example, the session.
      const lost = { ...aService([]), listCheckpoints: aService([path]).listCheckpoints };
      await expect(chosen.open(lost)).rejects.toMatchObject({ code: "tinker-not-found" });
    }
  });

  it("are missing if a run has none", async () => {
    const onlyStates = await aRun(saved("state", { sampler_path: null }));
    await expect(choose(FOLDER, onlyStates)).rejects.toThrow("no checkpoint to sample from");
  });

  it("belong to the model that the service names for a checkpoint, or that a configuration must name", async () => {
    const path = "tinker://run-9/sampler_weights/final";
    const chosen = await choose(path);
    const opened = await chosen.open(aService([path], "Org/Model"));
    expect(opened.loaded.config.model_name).toBe("Org/Model");
    await expect(chosen.open(aService([path]))).rejects.toThrow("--config_path FILE");
  });

  it.each([
    [["tinker://run-9/sampler_weights/final"], "The sampler that was saved with it is"],
    [
      ["tinker://run-9/sampler_weights/other"],
      "Samplers of its run: tinker://run-9/sampler_weights/other",
    ],
    [[], "has no sampler of its run"],
  ])("cannot be a state to train on (samplers: %j)", async (samplers, words) => {
    const chosen = await choose("tinker://run-9/weights/final");
    await expect(chosen.open(aService(samplers))).rejects.toThrow(words);
  });

  it.each(["./nowhere", "/runs/nowhere", "C:/runs/nowhere", "nowhere"])(
    "are not found at %s, which is no run",
    async (target) => {
      await expect(choose(target)).rejects.toMatchObject({ code: "run-not-found" });
    },
  );
});
