import { describe, expect, it } from "vitest";
import {
  describeSweepProblem,
  planSweep,
  runOverrides,
  sweepName,
} from "../../../src/core/sweeps/planSweep.ts";

const TEXT = `model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4 }
batch_size: 2
max_steps: 2
`;

function plan(grid: readonly string[], overrides: readonly string[] = [], text = TEXT) {
  return planSweep({ text, path: "c.yaml", grid, overrides });
}

function problems(...args: Parameters<typeof plan>): readonly string[] {
  const check = plan(...args);
  return check.ok ? [] : check.problems.map(describeSweepProblem);
}

describe("a valid grid", () => {
  it("has a run for each combination, with the last key changing first, and values read as overrides", () => {
    const check = plan(["learning_rate=1e-5,4e-5", "seed=1,2"], ["max_steps=3"]);
    if (!check.ok) throw new Error(check.problems.map(describeSweepProblem).join("\n"));
    expect(check.plan.combinations.map(({ settings }) => settings)).toEqual([
      ["learning_rate=1e-5", "seed=1"],
      ["learning_rate=1e-5", "seed=2"],
      ["learning_rate=4e-5", "seed=1"],
      ["learning_rate=4e-5", "seed=2"],
    ]);
    expect(check.plan.combinations.map(({ config }) => config.learning_rate)).toEqual([
      1e-5, 1e-5, 4e-5, 4e-5,
    ]);
    expect(check.plan.combinations[3]).toMatchObject({
      index: 3,
      overrides: ["max_steps=3", "learning_rate=4e-5", "seed=2"],
      config: { max_steps: 3, seed: 2 },
    });
    expect(check.plan.sharedOverrides).toEqual(["max_steps=3"]);
  });

  it("accepts keys within environments", () => {
    const check = plan(["environments.local/calculator.num_rollouts=4,8"]);
    expect(check).toMatchObject({
      ok: true,
      plan: {
        combinations: [
          { config: { environments: { "local/calculator": { num_rollouts: 4 } } } },
          { config: { environments: { "local/calculator": { num_rollouts: 8 } } } },
        ],
      },
    });
  });

  it("can supply a key that the file lacks", () => {
    const text = TEXT.replace("batch_size: 2\n", "");
    expect(plan(["batch_size=2,4"], [], text)).toMatchObject({ ok: true });
  });

  it("gives each run its own name, also on trackers", () => {
    const check = plan(["seed=1,2"], ["wandb_run_name=all the same"]);
    if (!check.ok) throw new Error(check.problems.map(describeSweepProblem).join("\n"));
    const [first] = check.plan.combinations;
    expect(first && runOverrides(first, "demo-sweep.seed_1")).toEqual([
      ...["wandb_run_name=all the same", "seed=1", "run_name=demo-sweep.seed_1"],
      "wandb_run_name=null",
    ]);
    expect(sweepName("all the same", check.plan)).toBe("all-the-same-sweep");
  });

  it("keeps secrets for all runs out of what is stored", () => {
    const check = plan(["seed=1,2"], ["secrets.TOKEN=hush", "max_steps=3"]);
    expect(check).toMatchObject({
      ok: true,
      plan: {
        sharedOverrides: ["secrets.TOKEN=null", "max_steps=3"],
        secretOverrides: ["secrets.TOKEN=hush"],
      },
    });
  });
});

describe("an invalid grid is refused as a whole, with the key and value in each line:", () => {
  it.each([
    ["no grid", [], /needs at least one key/],
    ["no value", ["seed"], /^--grid seed: error: it is not KEY=VALUE,VALUE\.$/],
    ["an empty value", ["seed=1,"], /^--grid seed=1,: error: seed has an empty value/],
    ["an unknown key", ["learning_rat=1"], /^--grid learning_rat=1: .*learning_rate/],
    ["a key twice", ["seed=1", "seed=2"], /^--grid seed=2: error: seed already has a --grid/],
    ["log_path", ["log_path=a,b"], /^--grid log_path=a: error: log_path cannot vary/],
    ["the name", ["run_name=a,b"], /^--grid run_name=a: error: run_name cannot vary/],
    ["equal values", ["learning_rate=1e-5,0.00001"], /learning_rate=1e-5 and .*=0\.00001 train/],
    ["a secret", ["secrets.TOKEN=hush,hushed"], /^--grid secrets\.TOKEN=null: .* secret/],
    ["another run to go on with", ["resume_from=auto"], /sweep resumes only its own runs/],
  ])("%s", (_what, grid, line) => {
    expect(problems(grid)).toEqual([expect.stringMatching(line)]);
    expect(problems(grid).join()).not.toContain("hush");
  });

  it("a wrong value among valid ones", () => {
    expect(problems(["seed=1,x", "learning_rate=1e-5,-1"])).toEqual([
      expect.stringMatching(/^--grid learning_rate=-1: error: .*\(learning_rate\)$/),
      expect.stringMatching(/^--grid seed=x: error: .*\(seed\)$/),
    ]);
  });

  it("a key that is also set for all runs", () => {
    expect(problems(["seed=1,2"], ["seed=3"])).toEqual([
      expect.stringMatching(/^--grid seed=1: error: seed=3 sets seed for all runs/),
    ]);
  });

  it("a key that no override can set, next to one that is set for all runs", () => {
    expect(problems(["stages.x.learning_rate=1,2"], ["max_steps=5"])).toEqual([
      expect.stringMatching(
        /^--grid stages\.x\.learning_rate=1: error: .*Overrides cannot set stages/,
      ),
      expect.stringMatching(
        /^--grid stages\.x\.learning_rate=2: error: .*Overrides cannot set stages/,
      ),
    ]);
  });

  it("a key with a dot is named as in an override", () => {
    const text = TEXT.replace("local/calculator", "Owner/Game.v2");
    const key = 'environments."Owner/Game.v2".num_rollouts';
    expect(problems([`${key}=4,8`], [`${key}=4`], text)).toEqual([
      `--grid ${key}=4: error: ${key}=4 sets ${key} for all runs. Remove one of the two.`,
    ]);
  });

  it("a combination that violates a rule over several keys", () => {
    const text = `${TEXT}loss_fn: importance_sampling\n`;
    const lines = problems(["max_steps=null,3", "seed=1,2"], [], text);
    expect(lines).toEqual([
      expect.stringMatching(/without an end.*\[with max_steps=null seed=1\]$/),
    ]);
  });

  it("an unreasonable number of combinations, without creating them", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => index).join(",");
    expect(problems([`seed=${many}`, `max_steps=${many}`])).toEqual([
      expect.stringMatching(/1000 of seed × 1000 of max_steps are 1000000 runs/),
    ]);
  });
});

it("a problem has its message without the flag, code, and key of a terminal line", () => {
  for (const grid of ["learning_rate=-1", "seed=x", "run_name=a,b"]) {
    const check = plan([grid]);
    const [problem] = check.ok ? [] : check.problems;
    expect(problem?.place).toMatch(/^--grid/);
    expect(problem?.message).not.toMatch(/--grid|error:|TRL\d|\)$/);
    expect(problem?.message).toMatch(/\.$/);
  }
});
