import { expect, it } from "vitest";
import { planStages } from "../../../src/core/sweeps/planStages.ts";
import {
  isStaged,
  namesOfRuns,
  runOverrides,
  sweepName,
} from "../../../src/core/sweeps/planSweep.ts";

const TEXT = `model_name: local/tiny-tool
environments: { local/calculator: { splits: { train: {} }, num_rollouts: 8 } }
batch_size: 8
max_steps: 4
stages:
  warm up: { learning_rate: 1e-3 }
  go: { learning_rate: 2e-3 }
`;

it("each stage is a separate run, in file order", () => {
  const check = planStages({ text: TEXT, path: "a.yaml", overrides: ["seed=3"] });
  if (!check.ok) throw new Error(JSON.stringify(check.problems));
  const { plan } = check;
  expect(isStaged(plan)).toBe(true);
  expect(plan.combinations.map(({ config }) => [config.stage, config.learning_rate])).toEqual([
    ["warm up", 1e-3],
    ["go", 2e-3],
  ]);
  const name = sweepName("demo", plan);
  expect(namesOfRuns(name, plan)).toEqual(["demo-stages.warm-up", "demo-stages.go"]);
  const [first] = plan.combinations;
  expect(first && runOverrides(first, "demo-stages.warm-up")).toEqual([
    "seed=3",
    "stage=warm up",
    "run_name=demo-stages.warm-up",
  ]);
});

it("a problem in one stage keeps all from starting", () => {
  const text = TEXT.replace("learning_rate: 2e-3", "learning_rate: -1");
  const check = planStages({ text, path: "a.yaml", overrides: [] });
  expect(check).toMatchObject({
    ok: false,
    problems: [{ path: ["stages", "go", "learning_rate"] }],
  });
});
