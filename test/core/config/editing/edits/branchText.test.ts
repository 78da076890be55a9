import { describe, expect, it } from "vitest";
import { branchText } from "../../../../../src/core/config/editing/edits/branch.ts";
import { configIn, textWith } from "../../configText.ts";

const statePath = "tinker://run/weights/checkpoint_000010";
const options = { path: "run.yaml" };
const branch = {
  overrides: [],
  statePath,
  edits: [],
  runName: "math-step-10",
  from: { run: "math", checkpoint: "checkpoint_000010", step: 10 },
};

function branched(text: string, overrides: readonly string[], edits: readonly [string, number][]) {
  const changed = branchText(
    text,
    { ...branch, overrides, edits: edits.map(([key, value]) => ({ path: [key], value })) },
    options,
  );
  if (changed === null) throw new Error("no text");
  return { changed, config: configIn(changed) };
}

describe("the configuration of a branch", () => {
  it("starts from the checkpoint and keeps everything else, including comments", () => {
    const text = textWith("max_steps: 7 # enough");
    const { changed, config } = branched(text, [], []);
    expect(config).toEqual({
      ...configIn(text),
      resume_from: statePath,
      run_name: "math-step-10",
    });
    expect(changed).toContain("max_steps: 7 # enough");
  });

  it("applies the run's command-line overrides, then the suggested changes", () => {
    const text = textWith("learning_rate: 2e-5");
    const overrides = ["learning_rate=4e-5", "environments.Owner/Game.num_rollouts=16"];
    const { config } = branched(text, overrides, [["learning_rate", 1e-5]]);
    expect(config.learning_rate).toBe(1e-5);
    expect(config.environments["Owner/Game"]?.num_rollouts).toBe(16);
    expect(branched(text, overrides, []).config.learning_rate).toBe(4e-5);
    // A suggestion that equals the file's value but not the overridden one.
    const back = branched(text, overrides, [["learning_rate", 2e-5]]);
    expect(back.config.learning_rate).toBe(2e-5);
  });

  it("does not also start from other weights", () => {
    const text = textWith("init_from: tinker://other/weights/a");
    expect(branched(text, [], []).config).toMatchObject({
      init_from: null,
      resume_from: statePath,
    });
  });

  it("has its own name, even if the original was named in its file, on the command line, or by a tracker", () => {
    const text = textWith("run_name: math\nwandb_run_name: math at home");
    const { config } = branched(text, ["run_name=math-sweep.seed_1"], []);
    expect(config).toMatchObject({ run_name: "math-step-10", wandb_run_name: null });
  });

  it("names the original run once, in its first line", () => {
    const first = "# tinker-rl: config, branched from math at checkpoint_000010, after step 10";
    const { changed } = branched(textWith("max_steps: 7"), [], []);
    expect(changed.split("\n")[0]).toBe(first);
    const again = branched(changed, [], []).changed;
    expect(again.split("\n").filter((line) => line.startsWith("#"))).toEqual([first]);
    const hostile = { ...branch.from, run: "a\nlog_path: /x" };
    expect(branchText(changed, { ...branch, from: hostile }, options)?.split("\n")[0]).toContain(
      "from a log_path: /x at",
    );
  });

  it("has the settings of the trained stage", () => {
    const stages = ["stages:", "  one: { max_steps: 3 }", "  two: { max_steps: 5 }", ""];
    const overrides = ["max_steps=9", "stage=two"];
    const { changed, config } = branched(textWith(...stages), overrides, [["max_steps", 20]]);
    expect(changed).toContain("  one: { max_steps: 3 }\n  two: { max_steps: 20 }\n");
    expect(config).toMatchObject({ stage: "two", max_steps: 20, resume_from: statePath });
  });

  it("is not created if its text could not start a run", () => {
    expect(branchText("a: [", branch, options)).toBeNull();
    expect(branchText("name: another file\n", branch, options)).toBeNull();
  });
});
