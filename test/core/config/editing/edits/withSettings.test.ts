import { expect, test } from "vitest";
import {
  overrideSettings,
  withSettings,
} from "../../../../../src/core/config/editing/edits/withSettings.ts";

const FILE = `model_name: local/tiny-tool # small
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 6 }
learning_rate: 0.004
`;

test("overrides are written into the file in their places, and comments are kept", () => {
  const given = ["learning_rate=0.2", "environments.local/calculator.num_rollouts=8", "seed=1"];
  expect(
    withSettings(FILE, overrideSettings(FILE, given)),
  ).toBe(`model_name: local/tiny-tool # small
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 8 }
learning_rate: 0.2
seed: 1
`);
});

test("a setting that was set back matches the file", () => {
  const rate = (value: number) => ({ path: ["learning_rate"], value });
  expect(withSettings(FILE, [rate(0.2), rate(0.004)])).toBe(FILE);
});

test("a setting that cannot be placed in the file becomes a comment after it", () => {
  const damaged = "model_name: [\n";
  expect(withSettings(damaged, [{ path: ["seed"], value: 1 }])).toBe("model_name: [\n# seed=1\n");
});
