import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/core/config/fields/schema.ts";
import {
  batchAt,
  chooseTasks,
  createTaskSequence,
  repeatedTaskWarnings,
  type TaskItem,
  type TaskSequence,
  type TaskSource,
  totalSteps,
} from "../../../../src/core/training/tasks/dataset.ts";
import { sha256 } from "../../../../src/node/hash.ts";
import { result, scriptedEnvironment } from "../../rollout/scriptedEnvironment.ts";
import { anEnvironment, ENVIRONMENT } from "../builders.ts";
import { prepareRun } from "../loop/prepareRun.ts";

function aSource(changes: Partial<TaskSource> = {}): TaskSource {
  return {
    environment: "a/b",
    split: "train",
    count: 8,
    shuffle: true,
    numSamples: null,
    weight: 1,
    ...changes,
  };
}

function aSequence(
  sources: readonly TaskSource[],
  { seed = 42, mix = "proportional" as const }: { seed?: number; mix?: Mix } = {},
): TaskSequence {
  return createTaskSequence(sources, seed, mix, sha256);
}

type Mix = "proportional" | "weighted";

function take(sequence: TaskSequence, from: number, count: number): readonly TaskItem[] {
  return Array.from({ length: count }, (_, i) => sequence.itemAt(from + i));
}

const indices = (items: readonly TaskItem[]) => items.map((item) => item.index);
const name = ({ environment, split, index }: TaskItem) => `${environment}:${split}:${index}`;

function counts(items: readonly TaskItem[]): readonly number[] {
  const seen = new Map<string, number>();
  for (const item of items) seen.set(name(item), (seen.get(name(item)) ?? 0) + 1);
  return [...seen.values()];
}

describe("the order of tasks", () => {
  it("follows from seed and epoch", () => {
    const sequence = aSequence([aSource()]);
    expect(indices(take(sequence, 0, 8))).toEqual([3, 6, 2, 5, 7, 0, 1, 4]);
    expect(indices(take(sequence, 8, 8))).toEqual([7, 2, 5, 0, 3, 1, 6, 4]);
    const other = aSequence([aSource()], { seed: 43 });
    expect(indices(take(other, 0, 8))).toEqual([1, 3, 4, 2, 7, 5, 6, 0]);
  });

  it("is the order of the split in every epoch without shuffle", () => {
    const sequence = aSequence([aSource({ count: 3, shuffle: false })]);
    expect(indices(take(sequence, 0, 6))).toEqual([0, 1, 2, 0, 1, 2]);
  });

  it("does not depend on where reading begins", () => {
    const sources = [aSource(), aSource({ environment: "c/d", count: 5 })];
    for (const mix of ["proportional", "weighted"] as const) {
      const whole = take(aSequence(sources, { mix }), 0, 40);
      expect(take(aSequence(sources, { mix }), 29, 11)).toEqual(whole.slice(29));
    }
  });

  it("distinguishes repeated tasks by position and epoch", () => {
    const items = take(aSequence([aSource({ count: 2, shuffle: false })]), 0, 5);
    expect(items.map(({ position, epoch, index }) => [position, epoch, index])).toEqual([
      [0, 0, 0],
      [1, 0, 1],
      [2, 1, 0],
      [3, 1, 1],
      [4, 2, 0],
    ]);
  });

  it("keeps the order of an unshuffled split among shuffled ones", () => {
    const fixed = aSource({ environment: "c/d", count: 6, shuffle: false });
    const items = take(aSequence([aSource(), fixed]), 0, 14);
    const own = items.filter(({ environment }) => environment === "c/d");
    expect(indices(own)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(new Set(items.map(name)).size).toBe(14);
  });

  it("distinguishes environments whose names differ only in the owner", () => {
    const items = take(aSequence([aSource(), aSource({ environment: "x/b" })]), 0, 16);
    expect(new Set(items.map(name)).size).toBe(16);
  });

  it("moves few other tasks when one is added", () => {
    const before = indices(take(aSequence([aSource()]), 0, 8));
    const after = indices(take(aSequence([aSource({ count: 9 })]), 0, 9));
    expect(after.filter((index) => index !== 8)).toEqual(before);
  });
});

describe("num_samples", () => {
  const chosen = (changes: Partial<TaskSource>, word?: string) =>
    chooseTasks(aSource(changes), 42, sha256, word);

  it("takes a fixed random subset with shuffle", () => {
    expect(chosen({ numSamples: 3 })).toEqual([3, 4, 7]);
  });

  it("takes the first tasks without shuffle", () => {
    expect(chosen({ numSamples: 3, shuffle: false })).toEqual([0, 1, 2]);
  });

  it("takes all tasks when there are no more than that", () => {
    expect(chosen({ numSamples: 8 })).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(chosen({ numSamples: 20 })).toHaveLength(8);
  });

  it("takes a different subset for evaluation", () => {
    const trained = chosen({ count: 1000, numSamples: 20 });
    expect(chosen({ count: 1000, numSamples: 20 }, "subset|eval")).not.toEqual(trained);
  });

  it("limits every epoch to the same tasks", () => {
    const items = take(aSequence([aSource({ numSamples: 3 })]), 0, 12);
    expect(new Set(indices(items))).toEqual(new Set([3, 4, 7]));
    expect(counts(items)).toEqual([4, 4, 4]);
  });
});

describe("an epoch", () => {
  const someSources = fc
    .array(fc.record({ count: fc.integer({ min: 1, max: 9 }), shuffle: fc.boolean() }), {
      minLength: 1,
      maxLength: 4,
    })
    .map((sources) =>
      sources.map((source, i) => aSource({ ...source, environment: `owner/env${i}` })),
    );

  it("holds every task exactly once, even when batches cross its end", () => {
    const plans = fc.record({
      sources: someSources,
      batch_size: fc.integer({ min: 1, max: 12 }),
      num_epochs: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(plans, ({ sources, batch_size, num_epochs }) => {
        const sequence = aSequence(sources);
        const rules = { batch_size, num_epochs, max_steps: null };
        const steps = totalSteps(rules, sequence.epochLength) ?? 0;
        const batches = Array.from({ length: steps }, (_, step) =>
          batchAt(sequence, step * batch_size, rules),
        );
        expect(batches.slice(0, -1).every((batch) => batch.length === batch_size)).toBe(true);
        expect(batches.at(-1)?.length).toBeGreaterThan(0);
        const items = batches.flat();
        expect(items).toHaveLength(sequence.epochLength * num_epochs);
        expect(counts(items)).toEqual(
          Array.from({ length: sequence.epochLength }, () => num_epochs),
        );
      }),
      { numRuns: 50 },
    );
  });
});

describe("batches", () => {
  const sequence = aSequence([aSource({ count: 5, shuffle: false })]);

  it("cross the ends of epochs, and the last one is short", () => {
    const rules = { batch_size: 4, num_epochs: 2 };
    expect(totalSteps({ ...rules, max_steps: null }, 5)).toBe(3);
    expect(indices(batchAt(sequence, 4, rules))).toEqual([4, 0, 1, 2]);
    expect(indices(batchAt(sequence, 8, rules))).toEqual([3, 4]);
    expect(batchAt(sequence, 10, rules)).toEqual([]);
  });

  it("are always full in a run without an end", () => {
    expect(batchAt(sequence, 98, { batch_size: 4, num_epochs: null })).toHaveLength(4);
  });

  it("larger than an epoch hold a task twice, at two positions", () => {
    const batch = batchAt(sequence, 0, { batch_size: 7, num_epochs: null });
    expect(indices(batch)).toEqual([0, 1, 2, 3, 4, 0, 1]);
    expect(new Set(batch.map(({ position }) => position)).size).toBe(7);
  });

  it.each<[number | null, number | null, number | null]>([
    [null, null, null],
    [null, 7, 7],
    [2, null, 3],
    [2, 2, 2],
    [2, 9, 3],
  ])("num_epochs %j and max_steps %j make %j steps", (num_epochs, max_steps, steps) => {
    expect(totalSteps({ num_epochs, max_steps, batch_size: 4 }, 5)).toBe(steps);
  });
});

describe("the weighted mix", () => {
  const weighted = (sources: readonly TaskSource[], count: number) =>
    take(aSequence(sources, { mix: "weighted" }), 0, count);

  it("gives both environments their share of every prefix to within one item", () => {
    const weight = fc.double({ min: 0.05, max: 20, noNaN: true });
    fc.assert(
      fc.property(weight, weight, (one, two) => {
        const sources = [
          aSource({ weight: one, count: 3 }),
          aSource({ environment: "c/d", weight: two, count: 5 }),
        ];
        let drawn = 0;
        weighted(sources, 60).forEach(({ environment }, i) => {
          if (environment === "a/b") drawn += 1;
          expect(Math.abs(drawn - ((i + 1) * one) / (one + two))).toBeLessThan(1);
        });
      }),
      { numRuns: 30 },
    );
  });

  it("lets a small environment go through its epochs independently", () => {
    const sources = [
      aSource({ count: 2, shuffle: false, weight: 1 }),
      aSource({ environment: "c/d", count: 100, weight: 1 }),
    ];
    const small = weighted(sources, 12).filter(({ environment }) => environment === "a/b");
    expect(indices(small)).toEqual([0, 1, 0, 1, 0, 1]);
  });
});

describe("a task sequence", () => {
  it("fails without tasks, before a run incurs any cost", () => {
    const sources = [aSource({}), aSource({ split: "empty", count: 0 })];
    expect(() => aSequence(sources)).toThrow(
      expect.objectContaining({ code: "no-tasks", configPath: expect.stringMatching(/empty$/) }),
    );
  });

  it("has a fingerprint of everything that determines its order", () => {
    const fingerprints = [
      aSequence([aSource()]),
      aSequence([aSource({ count: 9 })]),
      aSequence([aSource({ split: "test" })]),
      aSequence([aSource({ shuffle: false })]),
      aSequence([aSource({ numSamples: 3 })]),
      aSequence([aSource()], { seed: 43 }),
      aSequence([aSource()], { mix: "weighted" }),
    ].map((sequence) => sequence.fingerprint);
    expect(new Set(fingerprints).size).toBe(fingerprints.length);
    expect(aSequence([aSource()]).fingerprint).toBe(fingerprints[0]);
  });
});

const FEW = "Owner/Few";

const gameSource = (changes: Partial<TaskSource> = {}) =>
  aSource({ environment: ENVIRONMENT, count: 3, ...changes });

/** Seeds of all samples of two steps, with groups of two rollouts and one turn per rollout. */
async function seedsOf(
  sources: readonly TaskSource[],
  mix: Config["mix"],
  batchSize: number,
): Promise<readonly (number | undefined)[]> {
  const solved = { onCall: () => result("", { reward: 1, finished: true }) };
  const environments = [ENVIRONMENT, FEW].map((name) => [name, anEnvironment({ num_rollouts: 2 })]);
  const { sampler, run } = prepareRun({
    remote: scriptedEnvironment([solved]),
    otherRemotes: { [FEW]: scriptedEnvironment([solved]) },
    sequence: createTaskSequence(sources, 42, mix, sha256),
    steps: 2,
    config: {
      batch_size: batchSize,
      mix,
      environments: Object.fromEntries(environments),
      max_consecutive_empty_steps: 9,
    },
  });
  // All rewards are equal.
  await expect(run()).rejects.toMatchObject({ code: "empty-steps" });
  return sampler.requests.map(({ seed }) => seed);
}

describe("groups of the same task", () => {
  it.each([
    ["of a batch larger than the data", [gameSource()], "proportional", 7],
    ["at the end of an epoch", [gameSource()], "proportional", 2],
    [
      "of an environment with more weight than tasks",
      [gameSource({ environment: FEW, count: 1, weight: 3 }), gameSource({ count: 9 })],
      "weighted",
      8,
    ],
  ] as const)("%s are sampled with different seeds", async (_, sources, mix, batchSize) => {
    const seeds = await seedsOf(sources, mix, batchSize);
    expect(seeds).toHaveLength(2 * 2 * batchSize);
    expect(new Set(seeds).size).toBe(seeds.length);
  });
});

describe("a step that holds a task more than once", () => {
  const warnings = (sources: readonly TaskSource[], mix: Config["mix"], batch_size: number) =>
    repeatedTaskWarnings(createTaskSequence(sources, 42, mix, sha256), {
      batch_size,
      num_epochs: null,
    });

  it("warns with the numbers", () => {
    expect(warnings([gameSource()], "proportional", 7)).toEqual([
      `batch_size: 7 takes 7 tasks of ${ENVIRONMENT} for the first step, but only 3 of them are different: a task that occurs more than once is a group each time. Lower batch_size, or use more tasks.`,
    ]);
  });

  it("warns about the environment that has too few tasks for its weight", () => {
    const few = gameSource({ environment: FEW, count: 1, weight: 3 });
    const many = gameSource({ count: 9 });
    expect(warnings([few, many], "weighted", 8)).toEqual([
      expect.stringMatching(
        /^batch_size: 8 takes 6 tasks of Owner\/Few .* only 1 of them are different/,
      ),
    ]);
  });

  it("does not warn when every task occurs once", () => {
    expect(warnings([gameSource()], "proportional", 3)).toEqual([]);
    expect(warnings([gameSource()], "proportional", 2)).toEqual([]);
  });
});
