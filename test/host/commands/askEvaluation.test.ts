import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { askEvaluation } from "../../../src/host/commands/askEvaluation.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";

interface Item {
  readonly label: string;
  readonly description?: string;
  readonly picked?: boolean;
}

const editor = vi.hoisted(() => ({
  /** Labels of the next picks; `accept` = Enter right away; undefined = the user dismisses the list. */
  picks: [] as (readonly string[] | "accept" | undefined)[],
  typed: [] as ((value: string, fault: (text: string) => unknown) => string | undefined)[],
  offered: [] as (readonly string[])[],
}));
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  window: {
    showQuickPick: async (items: readonly Item[], { canPickMany }: { canPickMany?: boolean }) => {
      editor.offered.push(items.map(({ label, description }) => `${label} ${description}`));
      const picks = editor.picks.shift();
      if (picks === undefined) return undefined;
      if (picks === "accept")
        return canPickMany === true ? items.filter((each) => each.picked) : items[0];
      const chosen = items.filter(({ label }) => picks.includes(label));
      return canPickMany === true ? chosen : chosen[0];
    },
    showInputBox: async ({
      value,
      validateInput,
    }: {
      value: string;
      validateInput: (text: string) => unknown;
    }) => editor.typed.shift()?.(value, validateInput),
  },
}));

const parent = folderOfEachTest();
beforeEach(() => {
  Object.assign(editor, { picks: [], offered: [], typed: [] });
});

const EVALUATION = {
  splits: { "local/calculator": ["test"] },
  num_samples: 8,
  rollouts_per_task: 2,
  temperatures: [1],
};

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
    editor.picks = ["accept"];
    expect(await askEvaluation(folder)).toEqual({});
    expect(editor.offered).toEqual([
      ["Evaluate as Configured test: 8 tasks × 2", "Change… splits, tasks and rollouts"],
    ]);
  });

  it("changes splits, tasks and rollouts, preset to the configured values", async () => {
    const save_best = "eval/local/calculator/test/temperature_1/reward_mean";
    const folder = await aRun({ evaluation: EVALUATION, save_best });
    editor.picks = [["Change…"], ["train"]];
    editor.typed = [
      (value, fault) => {
        expect(value).toBe("8 × 2");
        for (const wrong of ["", "8", "0 × 1", "8 × 0", "x × 1", "8 × 1 × 1"]) {
          expect(fault(wrong), wrong).toContain("two numbers");
        }
        expect(fault(" 16 x 4 ")).toBeNull();
        return " 16 x 4 ";
      },
    ];
    expect(await askEvaluation(folder)).toEqual({
      "evaluation.splits": { "local/calculator": ["train"] },
      "evaluation.num_samples": 16,
      "evaluation.rollouts_per_task": 4,
      save_best: null,
    });
    editor.picks = [["Change…"], "accept"];
    editor.typed = [() => "all × 1"];
    expect(await askEvaluation(folder)).toMatchObject({
      "evaluation.splits": { "local/calculator": ["test"] },
      "evaluation.num_samples": null,
      "evaluation.rollouts_per_task": 1,
    });
  });

  it("asks for everything if the configuration has no evaluation", async () => {
    editor.typed = [(value) => value];
    expect(await askEvaluation(await aRun({}))).toEqual({
      "evaluation.splits": { "local/calculator": ["train"] },
      "evaluation.num_samples": 64,
      "evaluation.rollouts_per_task": 1,
    });
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
      editor.picks = picks as typeof editor.picks;
      editor.typed = [() => undefined];
      expect(await askEvaluation(folder)).toBeUndefined();
    }
  });
});
