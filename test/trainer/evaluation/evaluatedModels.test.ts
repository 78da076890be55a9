import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  appendCheckpoint,
  type CheckpointEntry,
} from "../../../src/core/runFolder/checkpointLog.ts";
import {
  defaultWords,
  evaluatedModels,
  firstRunFolder,
} from "../../../src/trainer/evaluation/evaluatedModels.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";
import { aConfig } from "../../core/training/builders.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";
import { startedRun } from "../../fakes/startedRun.ts";

const CONFIG = { config: { model_name: "org/model" }, path: "/project/tinker-config.yaml" };
const files = filesOnDisk();
const parent = folderOfEachTest();

async function aRun(
  name: string,
  saves: readonly Partial<CheckpointEntry>[],
  inFolder = parent,
  configPath = CONFIG.path,
): Promise<string> {
  const { folder } = await startedRun(files, inFolder, { name, configPath });
  for (const save of saves) {
    const step = save.step ?? 0;
    await appendCheckpoint(
      files.within(folder),
      folder,
      aCheckpointEntry({
        name: `checkpoint_${step}`,
        step,
        state_path: `tinker://${name}/weights/c${step}`,
        sampler_path: `tinker://${name}/sampler_weights/c${step}`,
        created_at: new Date(0).toISOString(),
        ...save,
      }),
    );
  }
  return folder;
}

function found(...words: readonly string[]) {
  return evaluatedModels(files, words, CONFIG);
}

describe("the models of an evaluation", () => {
  it("include the base model, a run's newest checkpoint, and one after a given step", async () => {
    const run = await aRun("one", [{ step: 10 }, { step: 20 }]);
    expect(await found("base", `${run}@10`, run)).toEqual([
      { name: "base", path: null, step: 0 },
      { name: "step 10", path: "tinker://one/sampler_weights/c10", step: 10 },
      { name: "step 20", path: "tinker://one/sampler_weights/c20", step: 20 },
    ]);
  });

  it("are listed once under different names", async () => {
    expect(await found("base", "org/model")).toHaveLength(1);
    const run = await aRun("one", [{ step: 10 }]);
    expect(await found(run, `${run}@10`, "tinker://one/weights/c10")).toHaveLength(1);
  });

  it("include the run's name if there are several runs", async () => {
    const one = await aRun("one", [{ step: 5 }, { step: 10 }]);
    const two = await aRun("two", [{ step: 5 }]);
    const other = "tinker://r/sampler_weights/checkpoint_000030";
    expect((await found("base", `${one}@5`, one, two, other)).map(({ name }) => name)).toEqual([
      "base",
      "one step 5",
      "one step 10",
      "two step 5",
      other,
    ]);
  });

  it("include the run's name if it is not the configuration's own run", async () => {
    const other = await aRun("other", [{ step: 24 }], parent, "/elsewhere/tinker-config.yaml");
    expect((await found("base", other)).map(({ name }) => name)).toEqual(["base", "other step 24"]);
  });

  it("use their addresses if their runs have the same name, too", async () => {
    const saves = ["a", "b"].map((id) => ({
      step: 5,
      sampler_path: `tinker://${id}/sampler_weights/c5`,
    }));
    const runs = await Promise.all(
      saves.map((save, i) => aRun("one", [save], join(parent, `project-${i}`))),
    );
    expect((await found(...runs)).map(({ name }) => name)).toEqual(
      saves.map(({ sampler_path }) => sampler_path),
    );
  });

  it("use the sampler weights that belong to a state, with the step from its name", async () => {
    expect(
      await found("tinker://r/weights/checkpoint_000030", "tinker://r/sampler_weights/mine"),
    ).toEqual([
      { name: "step 30", path: "tinker://r/sampler_weights/checkpoint_000030", step: 30 },
      { name: "mine", path: "tinker://r/sampler_weights/mine", step: 0 },
    ]);
  });

  it("exclude saves that have expired or have no sampler weights", async () => {
    const gone = new Date(0).toISOString();
    const run = await aRun("one", [
      { step: 10 },
      { step: 20, expires_at: gone },
      { step: 30, sampler_path: null },
    ]);
    expect(await found(run)).toMatchObject([{ step: 10 }]);
    await expect(found(`${run}@20`)).rejects.toMatchObject({ code: "checkpoint-not-found" });
    await expect(found(`${run}@20`)).rejects.toThrow("after these steps: 10");
  });

  it("are rejected if unknown", async () => {
    await expect(found("other/model")).rejects.toMatchObject({ code: "model-not-known" });
    await expect(found("tinker://r/odd/x")).rejects.toMatchObject({ code: "bad-arguments" });
  });

  it("name the run whose configuration can be used", async () => {
    const run = await aRun("one", [{ step: 10 }]);
    expect(await firstRunFolder(files, ["base", "tinker://r/weights/c", `${run}@10`])).toBe(run);
    expect(await firstRunFolder(files, ["base"])).toBeNull();
  });

  it("default to the base model and the configuration's run", async () => {
    const path = join(parent, "my config.yaml");
    const config = aConfig({ log_path: parent });
    expect(await defaultWords(files, { config, path })).toEqual(["base"]);
    const run = await aRun("my config", []);
    expect(await defaultWords(files, { config, path })).toEqual(["base", run]);
  });
});
