import { expect, it } from "vitest";
import {
  branchFileName,
  branchRunName,
} from "../../../../../src/core/config/editing/edits/branch.ts";

const PATTERNS = ["tinker-config.yaml", "tinker-config.json", "*.tinker.yaml", "*.tinker.yml"];

it("the file name of a branch matches one of the configuration patterns", () => {
  const named = (fileName: string, patterns = PATTERNS, count = 1): string =>
    branchFileName({ fileName, step: 10 }, patterns, count);
  expect(named("tinker-config.yaml")).toBe("tinker-config-step-10.tinker.yaml");
  expect(named("math.tinker.yml")).toBe("math-step-10.tinker.yml");
  expect(named("math.tinker.yaml", PATTERNS, 2)).toBe("math-step-10-2.tinker.yaml");
  expect(named("tinker-config.json")).toBe("tinker-config-step-10.tinker.yaml");
  expect(named("rl/math.yaml".slice(3), ["rl-*.yaml"])).toBe("rl-math-step-10.yaml");
  // No pattern leaves room for a name, so the first line of the file marks it as a configuration.
  expect(named("train.yaml", ["train.yaml", "**/*.yml"])).toBe("train-step-10.yaml");
});

it("the run of a branch is named after the original run, within the length limit", () => {
  expect(branchRunName({ runName: "math-sweep.seed_1", step: 10 })).toBe(
    "math-sweep.seed_1-step-10",
  );
  expect(branchRunName({ runName: "x".repeat(90), step: 10 })).toBe(`${"x".repeat(72)}-step-10`);
  expect(branchRunName({ runName: "меня зовут", step: 1 })).toBe("run-step-1");
});
