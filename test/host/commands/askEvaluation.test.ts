import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { EMBEDDED_CATALOGUE } from "../../../src/core/config/editing/catalogue/embedded.ts";
import { askEvaluation as ask } from "../../../src/host/commands/askEvaluation.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";
import { resetUser, user } from "../fakeWindow.ts";

vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  window: (await import("../fakeWindow.ts")).fakeWindow,
}));

const parent = folderOfEachTest();
beforeEach(resetUser);

const EVALUATION = {
  splits: { "local/calculator": ["test"] },
  num_samples: 8,
  rollouts_per_task: 2,
  temperatures: [1],
};

const askEvaluation = (folder: string) =>
  ask(folder, { current: () => EMBEDDED_CATALOGUE, ready: async () => undefined });

/** A run folder whose configuration has this `evaluation`. */
async function aRun(changes: object = { evaluation: EVALUATION }): Promise<string> {
  const configPath = join(parent, "config.yaml");
  const config = {
    model_name: "local/tiny-tool",
    batch_size: 1,
    max_steps: 1,
    environments: { "local/calculator": { splits: { train: {} }, num_rollouts: 2 } },
    ...changes,
  };
  await writeFile(configPath, JSON.stringify(config));
  const folder = join(parent, "runs", "config");
  await mkdir(folder, { recursive: true });
  const file = aRunFile({ runId: "run-1", owner: "editor", configPath, attempt: 0, phase: "done" });
  await writeFile(join(folder, "run.json"), JSON.stringify(file));
  return folder;
}

describe("Evaluate Checkpoint…", () => {
  it("uses the configured evaluation with a single Enter", async () => {
    const folder = await aRun();
    user.picks = ["accept"];
    expect(await askEvaluation(folder)).toEqual({});
    expect(user.lists).toMatchObject([
      [
        { label: "Evaluate as Configured", description: "test: 8 tasks × 2" },
        { label: "Change…", description: "splits, tasks and rollouts" },
      ],
    ]);
  });

  it("changes splits, tasks and rollouts, preset to the configured values", async () => {
    const save_best = "eval/local/calculator/test/temperature_1/reward_mean";
    const folder = await aRun({ evaluation: EVALUATION, save_best });
    user.picks = [["Change…"], ["train"]];
    user.types = [
      ({ value, validateInput }) => {
        expect(value).toBe("8 × 2");
        for (const wrong of ["", "8", "0 × 1", "8 × 0", "x × 1", "8 × 1 × 1"]) {
          expect(validateInput(wrong), wrong).toContain("two numbers");
        }
        expect(validateInput(" 16 x 4 ")).toBeNull();
        return " 16 x 4 ";
      },
    ];
    expect(await askEvaluation(folder)).toEqual({
      "evaluation.splits": { "local/calculator": ["train"] },
      "evaluation.num_samples": 16,
      "evaluation.rollouts_per_task": 4,
      save_best: null,
    });
    user.picks = [["Change…"], "accept"];
    user.types = ["all × 1"];
    expect(await askEvaluation(folder)).toMatchObject({
      "evaluation.splits": { "local/calculator": ["test"] },
      "evaluation.num_samples": null,
      "evaluation.rollouts_per_task": 1,
    });
    // Looking something up elsewhere does not lose the answers.
    expect(new Set(user.stays)).toEqual(new Set([true]));
  });

  it("without an evaluation presets a split that the run does not train on", async () => {
    user.picks = ["accept"];
    user.types = [({ value }) => value];
    expect(await askEvaluation(await aRun({}))).toEqual({
      "evaluation.splits": { "local/calculator": ["test"] },
      "evaluation.num_samples": 64,
      "evaluation.rollouts_per_task": 1,
    });
    expect(user.lists).toMatchObject([
      [
        { label: "train", description: "local/calculator · the run trains on these tasks" },
        { label: "test", description: "local/calculator" },
      ],
    ]);
  });

  it("asks before it evaluates on trained tasks alone", async () => {
    const environments = {
      rhyme: {
        server: { command: ["python", "rhyme.py"] },
        splits: { train: {} },
        num_rollouts: 2,
      },
    };
    const folder = await aRun({ environments });
    expect(await askEvaluation(folder)).toBeUndefined();
    expect(user.lists).toMatchObject([
      [{ label: "train", description: "rhyme · the run trains on these tasks", picked: true }],
    ]);
  });

  it("evaluates nothing if the user dismisses a prompt or leaves no split", async () => {
    const folder = await aRun();
    const ways = [
      [undefined],
      [["Change…"], undefined],
      [["Change…"], []],
      [["Change…"], "accept"],
    ];
    for (const picks of ways) {
      user.picks = picks as typeof user.picks;
      expect(await askEvaluation(folder)).toBeUndefined();
    }
  });
});
