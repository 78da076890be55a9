import { describe, expect, it } from "vitest";
import { TASK_TYPE } from "../../../src/host/manifest/taskType.ts";
import {
  gridTexts,
  insteadOfTraining,
  overrideTexts,
  readTrainTask,
  resumedFolder,
  TASK_ACTIONS,
  type TrainTask,
} from "../../../src/host/task/trainTask.ts";
import { manifest } from "../../manifest/builtManifest.ts";

function task(definition: Readonly<Record<string, unknown>>): TrainTask {
  const read = readTrainTask({ type: "tinker-rl", config: "a.yaml", ...definition });
  if (typeof read === "string") throw new Error(read);
  return read;
}

it("uses defaults for what a definition leaves out", () => {
  expect(task({})).toMatchObject({ action: "train", overrides: {} });
});

it("passes overrides as key=value, with texts as YAML", () => {
  const overrides = { learning_rate: "5e-4", max_steps: 20, "evaluation.splits": { a: ["b"] } };
  expect(overrideTexts(task({ overrides }))).toEqual([
    "learning_rate=5e-4",
    "max_steps=20",
    'evaluation.splits={"a":["b"]}',
  ]);
});

it("passes the grid of a sweep, with values separated by commas", () => {
  const grid = { learning_rate: "1e-5,4e-5", seed: "1,2" };
  expect(gridTexts(task({ grid, parallel: 2 }))).toEqual(["learning_rate=1e-5,4e-5", "seed=1,2"]);
  expect(gridTexts(task({}))).toBeNull();
});

it("evaluates models or plays a dry run according to the action", () => {
  expect(insteadOfTraining(task({}))).toBeNull();
  expect(insteadOfTraining(task({ action: "dry_run" }))).toEqual({ kind: "dry_run" });
  expect(insteadOfTraining(task({ action: "estimate" }))).toEqual({ kind: "estimate", grid: [] });
  expect(insteadOfTraining(task({ action: "estimate", grid: { seed: "1,2" } }))).toEqual({
    kind: "estimate",
    grid: ["seed=1,2"],
  });
  expect(insteadOfTraining(task({ action: "evaluate" }))).toEqual({ kind: "evaluate", models: [] });
  const models = ["base", "tinker://r/sampler_weights/c"];
  expect(insteadOfTraining(task({ action: "evaluate", models }))).toEqual({
    kind: "evaluate",
    models,
  });
});

it("distinguishes a run folder from a checkpoint and from auto", () => {
  expect(resumedFolder(task({ resume: "runs/x" }))).toBe("runs/x");
  expect(overrideTexts(task({ resume: "runs/x" }))).toEqual([]);
  for (const resume of ["auto", "tinker://r/weights/c"]) {
    expect(resumedFolder(task({ resume }))).toBeNull();
    expect(overrideTexts(task({ resume }))).toEqual([`resume_from=${resume}`]);
  }
});

it.each([{ config: 3 }, { action: "dance" }, { overrides: [] }])(
  "rejects %j, and names the place",
  (odd) => {
    expect(readTrainTask({ type: "tinker-rl", config: "a.yaml", ...odd })).toMatch(
      /^The task cannot be used: \w+: .*tasks\.json\.$/,
    );
  },
);

it("offers only actions that have an effect", () => {
  const [definition] = manifest.contributes.taskDefinitions;
  expect(definition).toMatchObject({ type: TASK_TYPE });
  expect(definition?.properties["action"]?.enum).toEqual(TASK_ACTIONS);
  for (const action of TASK_ACTIONS) {
    expect(readTrainTask({ type: TASK_TYPE, config: "a.yaml", action })).toMatchObject({ action });
  }
});

describe("a task in tasks.json", () => {
  it.each([
    "/tmp/evil",
    "evil",
    "../evil",
    "1700000000000-0123abcd/..",
    "1700000000000-0123abcd/../../evil",
    "",
  ])("joins no training for %j", (attach) => {
    const task = { type: "tinker-rl", config: "run.yaml", attach };
    expect(readTrainTask(task)).toMatch(/attach: it is not a run that this editor started/);
  });

  it("joins one that this editor has started, by its name", () => {
    const task = { type: "tinker-rl", config: "run.yaml", attach: "1700000000000-0123abcd" };
    expect(readTrainTask(task)).toMatchObject({ attach: task.attach });
  });
});
