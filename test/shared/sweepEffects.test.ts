/** What runs of a sweep with planted effects reveal about their settings. */

import { describe, expect, it } from "vitest";
import {
  knownRuns,
  type SettingEffect,
  type SweptRun,
  sweepEffects,
} from "../../src/shared/sweepEffects.ts";
import { createUniform } from "../../src/shared/uniform.ts";

type Settings = Readonly<Record<string, string>>;

/** A run for each combination; `result` gets the settings and a normal deviate with a standard deviation of about 1. */
function sweep(
  grid: Readonly<Record<string, readonly string[]>>,
  result: (settings: Settings, chance: number) => number | null,
): readonly SweptRun[] {
  const uniform = createUniform(5);
  const combinations = Object.entries(grid).reduce<readonly Settings[]>(
    (found, [key, values]) =>
      found.flatMap((settings) => values.map((value) => ({ ...settings, [key]: value }))),
    [{}],
  );
  return combinations.map((settings, index) => {
    const chance = uniform() + uniform() + uniform() + uniform() - 2;
    const reached = result(settings, Math.sqrt(3) * chance);
    return { id: String(index), settings, result: reached, isDone: true, steps: 10 };
  });
}

function effectOf(runs: readonly SweptRun[], key: string): SettingEffect {
  const found = sweepEffects(runs).settings.find((effect) => effect.key === key);
  if (found === undefined) throw new Error(`${key} is not varied.`);
  return found;
}

const SEEDS = ["1", "2", "3"];
const GRID = { learning_rate: ["1e-4", "1e-3", "1e-2"], batch_size: ["8", "16"], seed: SEEDS };

describe("the effects of a sweep", () => {
  it("ranks the setting that matters first, and reports that another one does not matter", () => {
    const runs = sweep(
      GRID,
      ({ learning_rate }, chance) => 2 * Number(learning_rate === "1e-3") + 0.3 * chance,
    );
    const { settings, runs: count, left } = sweepEffects(runs);
    expect(settings.map(({ key }) => key)).toEqual(["learning_rate", "batch_size"]);
    expect(settings[0]?.share?.share).toBeGreaterThan(0.85);
    expect(settings[0]?.share?.low).toBeGreaterThan(0.6);
    expect(settings[1]?.share).toMatchObject({ low: 0 });
    expect(settings[1]?.share?.high).toBeLessThan(0.3);
    expect([count, left]).toEqual([18, 0]);
  });

  it("estimates the planted shares on average, and near zero if nothing was planted", () => {
    const shares = Array.from({ length: 40 }, (_, round) => {
      const uniform = createUniform(round);
      const runs = sweep(GRID, ({ batch_size }) => {
        const chance = Math.sqrt(12) * (uniform() - 0.5);
        return (batch_size === "8" ? 1 : -1) * Math.sqrt(17 / 18) + chance;
      });
      return [effectOf(runs, "batch_size"), effectOf(runs, "learning_rate")];
    });
    const mean = (index: number): number =>
      shares.reduce((sum, own) => sum + (own[index]?.share?.share ?? 0), 0) / shares.length;
    expect(mean(0)).toBeCloseTo(0.5, 1);
    expect(mean(1)).toBeLessThan(0.08);
    // A 95% interval rarely misses.
    const hits = shares.filter(
      ([own]) => (own?.share?.low ?? 1) <= 0.5 && (own?.share?.high ?? 0) >= 0.5,
    );
    expect(hits.length).toBeGreaterThanOrEqual(36);
  });

  it("reports what two settings explain only in combination", () => {
    const runs = sweep(
      { ...GRID, learning_rate: ["1e-4", "1e-3"] },
      ({ learning_rate, batch_size }, chance) =>
        (learning_rate === "1e-3") === (batch_size === "8") ? 1 + 0.1 * chance : -1 + 0.1 * chance,
    );
    const { settings, combinations } = sweepEffects(runs);
    for (const { share } of settings) expect(share?.share).toBeLessThan(0.05);
    expect(combinations?.low).toBeGreaterThan(0.8);
  });

  it("is not misled by missing runs", () => {
    // On its own the batch size looks decisive: it lacks the runs with the low rate.
    const runs = sweep(GRID, ({ learning_rate, batch_size }, chance) =>
      batch_size === "16" && learning_rate !== "1e-2"
        ? null
        : 5 * Number(learning_rate === "1e-2") + 0.1 * chance,
    );
    const { left, settings } = sweepEffects(runs);
    expect(left).toBe(6);
    expect(settings[0]?.key).toBe("learning_rate");
    expect(settings[1]?.share?.share).toBeLessThan(0.02);
  });

  it("reports why a share is unknown", () => {
    const value = ({ learning_rate }: Settings, chance: number): number =>
      Number(learning_rate) + chance;
    const gap = (grid: Readonly<Record<string, readonly string[]>>, result = value) =>
      effectOf(sweep(grid, result), "learning_rate").gap;
    const rates = ["1", "2"];
    expect(gap({ learning_rate: ["1"] })).toBe("one-value");
    expect(gap({ learning_rate: ["1"], seed: SEEDS })).toBe("one-value");
    const half = sweep({ learning_rate: rates, seed: SEEDS }, ({ learning_rate }) =>
      learning_rate === "1" ? 1 : null,
    );
    expect(effectOf(half, "learning_rate").gap).toBe("one-value-done");
    expect(gap({ learning_rate: rates })).toBe("no-seeds");
    expect(gap({ learning_rate: rates, seed: SEEDS }, () => 0.1)).toBe("no-differences");
    expect(
      effectOf(
        sweep({ learning_rate: rates }, () => null),
        "learning_rate",
      ).gap,
    ).toBe("no-results");
    const three = sweep({ learning_rate: rates, seed: ["1", "2"] }, value).slice(0, 3);
    expect(effectOf(three, "learning_rate").gap).toBe("few-runs");
    const together = sweep(GRID, (_, chance) => chance).map((run) => ({
      ...run,
      settings: { ...run.settings, lora_rank: run.settings["learning_rate"] ?? "" },
    }));
    expect(effectOf(together, "lora_rank").gap).toBe("not-alone");
    expect(effectOf(together, "batch_size").gap).toBeNull();
  });

  it("treats the residual of several settings as noise if no seed is repeated", () => {
    const grid = { learning_rate: ["1", "2", "3"], batch_size: ["8", "16", "32"] };
    const runs = sweep(grid, ({ learning_rate }, chance) => Number(learning_rate) + 0.1 * chance);
    const { settings, combinations } = sweepEffects(runs);
    expect(settings[0]).toMatchObject({ key: "learning_rate", gap: null });
    expect(settings[0]?.share?.share).toBeGreaterThan(0.9);
    expect(combinations).toBeNull();
  });

  it("lists each value with its runs, their mean and its interval, in numeric order", () => {
    const runs = sweep(
      GRID,
      ({ learning_rate, seed }) => 10 * Number(learning_rate) + Number(seed),
    );
    const { scale, values } = effectOf(runs.toReversed(), "learning_rate");
    expect(scale).toBe("log");
    expect(values.map(({ text }) => text)).toEqual(GRID.learning_rate);
    expect(values[2]?.points).toHaveLength(6);
    expect(values[2]?.mean).toBeCloseTo(2.1);
    expect(values[2]?.interval?.low).toBeGreaterThan(1);
    expect(effectOf(runs, "batch_size").scale).toBe("linear");
    const named = sweep({ loss_fn: ["ppo", "cispo"], seed: ["1", "2"] }, (_, chance) => chance);
    expect(effectOf(named, "loss_fn")).toMatchObject({ scale: "names" });
    expect(effectOf(named, "loss_fn").values.map(({ interval }) => interval)).toEqual([null, null]);
  });

  it("leaves out runs that ended early or are in progress, and includes those as long as the longest", () => {
    const runs = sweep({ ...GRID, seed: ["1"] }, (_, chance) => chance).map((run, index) => ({
      ...run,
      isDone: index > 2,
      steps: index === 0 ? 10 : index < 3 ? 4 : 10,
    }));
    const { left, settings } = sweepEffects(runs);
    expect(left).toBe(2);
    const ids = settings[0]?.values.flatMap(({ points }) => points.map(({ id }) => id));
    expect(ids?.sort()).toEqual(["0", "3", "4", "5"]);
  });

  it("depends only on the included runs", () => {
    const runs = sweep(GRID, (_, chance) => chance).map((run, index) => {
      return { ...run, isDone: index !== 0, steps: index === 0 ? 4 : 10 };
    });
    const further = runs.map((run, index) => (index === 0 ? { ...run, result: 9, steps: 5 } : run));
    expect(knownRuns(further)).toEqual(knownRuns(runs));
    expect(sweepEffects(further)).toEqual(sweepEffects(runs));
  });

  it("handles a thousand combinations without repeats", () => {
    const values = Array.from({ length: 10 }, (_, value) => String(value));
    const runs = sweep({ a: values, b: values, c: values }, ({ b }, chance) => Number(b) + chance);
    expect(sweepEffects(runs)).toMatchObject({ settings: [{ key: "b" }, {}, {}], runs: 1_000 });
  });

  it("is the same for the same runs in any order", () => {
    const runs = sweep(GRID, ({ learning_rate }, chance) => Number(learning_rate) + chance);
    expect(sweepEffects(runs)).toEqual(sweepEffects(runs));
    const { share } = effectOf(runs.toReversed(), "batch_size");
    const before = effectOf(runs, "batch_size").share;
    expect(share?.high).toBeCloseTo(before?.high ?? 0, 10);
  });

  it("has no settings if only the seed varies", () => {
    expect(sweepEffects(sweep({ seed: SEEDS }, (_, chance) => chance)).settings).toEqual([]);
  });
});
