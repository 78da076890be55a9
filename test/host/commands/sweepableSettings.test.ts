import { expect, it } from "vitest";
import { sweepableSettings } from "../../../src/host/commands/tunableSettings.ts";

it("names keys as overrides take them, with quotes around a name with a dot only", () => {
  const environment = { num_rollouts: 4, splits: { train: {} } };
  const config = { environments: { "Owner/Game.v2": environment } };
  const keys = sweepableSettings(config).map(({ key }) => key);
  expect(keys).toContain('environments."Owner/Game.v2".num_rollouts');
});

it("offers settings of the run and of each environment, and none that names or places a run", () => {
  const calculator = { num_rollouts: 4, splits: { train: {} } };
  const config = { learning_rate: 1e-4, seed: 1, environments: { "local/calculator": calculator } };
  const keys = sweepableSettings(config).map(({ key }) => key);
  expect(keys.slice(0, 2)).toEqual(["learning_rate", "seed"]);
  expect(keys).toContain("environments.local/calculator.num_rollouts");
  for (const given of ["run_name", "log_path", "wandb_run_name"]) expect(keys).not.toContain(given);
  expect(keys.filter((key) => key.startsWith("secrets"))).toEqual([]);
});
