import { describe, expect, it } from "vitest";
import { configChanges, settingChanges } from "../../../src/core/config/changes.ts";
import type { Config } from "../../../src/core/config/fields/schema.ts";
import { aConfig, anEnvironment, anEvaluation, ENVIRONMENT } from "../training/builders.ts";

function changes(after: Partial<Config>, before: Partial<Config> = {}): readonly string[] {
  return configChanges(aConfig(before), aConfig(after)).map(
    ({ path, change }) => `${path} ${change}`,
  );
}

describe("the changes between two configurations", () => {
  it("are empty when the values are equal", () => {
    expect(changes({})).toEqual([]);
    expect(changes({ loss_fn_config: {} })).toEqual([]);
  });

  it("name each key in table order, with whether a run may continue with it", () => {
    const after = { learning_rate: 1e-4, seed: 7, batch_size: 9, wandb: "offline" as const };
    expect(new Set(changes(after))).toEqual(
      new Set(["seed identity", "batch_size identity", "learning_rate tunable", "wandb fixed"]),
    );
    expect(changes(after)).toEqual(changes({ ...aConfig(), ...after }));
  });

  it("include nested environments and their splits", () => {
    const environment = anEnvironment({
      temperature: 0.5,
      num_rollouts: 8,
      splits: { train: { shuffle: false, num_samples: null } },
    });
    expect(changes({ environments: { [ENVIRONMENT]: environment } })).toEqual([
      `environments.${ENVIRONMENT}.splits.train.shuffle identity`,
      `environments.${ENVIRONMENT}.num_rollouts identity`,
      `environments.${ENVIRONMENT}.temperature tunable`,
    ]);
  });

  it("affect the run's identity when an environment or split is added or removed", () => {
    const environments = { [ENVIRONMENT]: anEnvironment(), "Owner/Other": anEnvironment() };
    expect(changes({ environments })).toEqual(["environments.Owner/Other identity"]);
    expect(changes({}, { environments })).toEqual(["environments.Owner/Other identity"]);
    const splits = { train: { shuffle: true, num_samples: null } };
    const more = anEnvironment({ splits: { ...splits, extra: splits.train } });
    expect(changes({ environments: { [ENVIRONMENT]: more } })).toEqual([
      `environments.${ENVIRONMENT}.splits.extra identity`,
    ]);
  });

  it("ignore the order of environments", () => {
    const one = { [ENVIRONMENT]: anEnvironment(), "Owner/Other": anEnvironment() };
    const other = { "Owner/Other": anEnvironment(), [ENVIRONMENT]: anEnvironment() };
    expect(changes({ environments: other }, { environments: one })).toEqual([]);
  });

  it("ignore the order of keys in any mapping, but not the order of list items", () => {
    const clip = { clip_low_threshold: 0.8, clip_high_threshold: 1.2 };
    const swapped = { clip_high_threshold: 1.2, clip_low_threshold: 0.8 };
    expect(changes({ loss_fn_config: swapped }, { loss_fn_config: clip })).toEqual([]);
    expect(changes({ loss_fn_config: { ...clip, beta: 1 } }, { loss_fn_config: clip })).toEqual([
      "loss_fn_config tunable",
    ]);
    const secrets = (environment: Readonly<Record<string, null>>) => ({
      environments: { [ENVIRONMENT]: anEnvironment({ secrets: environment }) },
    });
    expect(changes(secrets({ a: null, b: null }), secrets({ b: null, a: null }))).toEqual([]);
  });

  it("name an evaluation as a whole when it is added, removed, or changed", () => {
    const evaluation = anEvaluation({
      at_start: true,
      at_end: true,
      every: null,
      num_samples: 64,
      temperatures: [0, 1],
    });
    expect(changes({ evaluation })).toEqual(["evaluation tunable"]);
    const rarer = { ...evaluation, every: 5 };
    expect(changes({ evaluation: rarer }, { evaluation })).toEqual(["evaluation tunable"]);
  });
});

describe("changed values", () => {
  it("are named one by one with their old values, except for secrets", () => {
    const before = aConfig({ learning_rate: 0.004, evaluation: anEvaluation({ every: 4 }) });
    const after = {
      ...before,
      learning_rate: 0.2,
      evaluation: anEvaluation({ every: 8 }),
      environments: { [ENVIRONMENT]: anEnvironment({ secrets: { KEY: "hidden" } }) },
    };
    const found = settingChanges(before, after);
    expect(found).toContainEqual({ path: ["learning_rate"], before: 0.004, after: 0.2 });
    expect(found).toContainEqual({ path: ["evaluation", "every"], before: 4, after: 8 });
    expect(JSON.stringify(found)).not.toContain("hidden");
  });
});
