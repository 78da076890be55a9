import { describe, expect, it } from "vitest";
import { stepPaths } from "../../../../src/core/runFolder/files/layout.ts";
import { START } from "../../../../src/core/training/step/loopPosition.ts";
import { sha256 } from "../../../../src/node/hash.ts";
import { FOLDER, linesOf } from "../fakeContext.ts";
import {
  type AheadOptions,
  type AheadRun,
  metric,
  placeOfSeed,
  prepareAhead,
  seeds,
  stopAtUpdate,
  updates,
} from "./prepareAhead.ts";
import { comparableRows, positionOf, prepareRun } from "./prepareRun.ts";

const BATCH = 3;
interface RefillOptions extends Partial<AheadOptions> {
  /** True for tasks whose rollouts all get the same reward. */
  readonly isEqual: (position: number) => boolean;
}

function prepareRefill({ isEqual, ...options }: RefillOptions) {
  return prepareAhead({
    stepsAhead: 0,
    steps: 4,
    rewardOf: (seed) => {
      const place = placeOfSeed(seed);
      if (place === undefined) throw new Error(`no rollout has the seed ${seed}`);
      return isEqual(place.position) ? 1 : place.rollout;
    },
    ...options,
    config: { batch_size: BATCH, refill: true, max_refill_batches: 3, ...options.config },
  });
}

/** The positions that each step consumed, from its records. */
function positions({ context }: AheadRun, steps: number): readonly (readonly number[])[] {
  return Array.from({ length: steps }, (_, step) => {
    const records = linesOf(context, stepPaths(FOLDER, step).bodies) as readonly {
      readonly taskKey: string;
      readonly step: number;
      readonly group: number;
      readonly rollout: number;
    }[];
    const sorted = records.toSorted((a, b) => a.group - b.group || a.rollout - b.rollout);
    expect(sorted.map(({ step: own }) => own)).toEqual(records.map(() => step));
    // Two rollouts per group, and no group is left out.
    expect(sorted.map(({ group, rollout }) => group * 2 + rollout)).toEqual(
      records.map((_record, i) => i),
    );
    return sorted
      .filter(({ rollout }) => rollout === 0)
      .map(({ taskKey }) => Number(taskKey.split("#")[1]));
  });
}

/** What each step must consume: groups from the head until a full batch of them has a signal. */
function expectedPositions(
  isEqual: (position: number) => boolean,
  { steps, most, end }: { readonly steps: number; readonly most: number; readonly end: number },
): readonly (readonly number[])[] {
  let next = 0;
  return Array.from({ length: steps }, () => {
    const taken: number[] = [];
    let found = 0;
    while (found < BATCH && taken.length < most && next < end) {
      if (!isEqual(next)) found += 1;
      taken.push(next);
      next += 1;
    }
    return taken;
  });
}

const ENDLESS = Number.POSITIVE_INFINITY;
/** True for a share of the tasks, chosen by the seed. */
function irregular(seed: number): (position: number) => boolean {
  const share = (seed * 37) % 100;
  return (position) => Number.parseInt(sha256(`${seed}|${position}`).slice(0, 6), 16) % 100 < share;
}

const RULES: readonly (readonly [string, (position: number) => boolean])[] = [
  ["none", () => false],
  ["every second", (position) => position % 2 === 1],
  ["the first seven", (position) => position < 7],
  ...[1, 2, 3].map((seed) => [`in irregular places ${seed}`, irregular(seed)] as const),
];

describe.each([0, 1, 2])(
  "a run that refills its batches and samples %i steps ahead",
  (stepsAhead) => {
    it.each(RULES)(
      "trains on whole batches when groups of equal rewards are %s",
      async (_, isEqual) => {
        const run = prepareRefill({ isEqual, stepsAhead, steps: 5 });
        expect(await run.run()).toMatchObject({ outcome: "done", step: 5 });
        const expected = expectedPositions(isEqual, { steps: 5, most: 4 * BATCH, end: ENDLESS });
        expect(positions(run, 5)).toEqual(expected);
        const signals = expected.map((taken) => taken.filter((at) => !isEqual(at)).length);
        expect(metric(run, "num_groups")).toEqual(signals);
        const short = expected.filter((_taken, step) => signals[step] !== BATCH);
        expect(short.map(({ length }) => length)).toEqual(short.map(() => 4 * BATCH));
        expect(metric(run, "refill/groups")).toEqual(expected.map((taken) => taken.length - BATCH));
        expect(metric(run, "progress/cursor")).toEqual(
          expected.map((_taken, step) => expected.slice(0, step + 1).flat().length),
        );
        if (stepsAhead > 0) {
          const lags = metric(run, "async/staleness/max").map(Number);
          expect(Math.max(...lags)).toBeLessThanOrEqual(stepsAhead);
          expect(run.context.progress.filter(({ kind }) => kind === "alarm")).toEqual([]);
        }
        // On-policy, every sampled group is used by a step.
        else expect(run.asked).toHaveLength(expected.flat().length * 2);
        const warnings = run.context.progress.filter(({ kind }) => kind === "warning");
        expect(warnings).toHaveLength(short.length);
      },
    );

    it("trains the same in whatever order rollouts end", async () => {
      const isEqual = (position: number) => (position * 7919) % 13 < 7;
      const options = { isEqual, stepsAhead, steps: 5 };
      const one = prepareRefill(options);
      await one.run();
      const other = prepareRefill({ ...options, sampleMs: (seed) => (seed * 7919) % 60_000 });
      await other.run();
      expect(updates(other)).toEqual(updates(one));
      expect(comparableRows(other)).toEqual(comparableRows(one));
      expect(positions(other, 5)).toEqual(positions(one, 5));
    });

    it("trains on what there is once a step has used its maximum number of groups", async () => {
      const isEqual = (position: number) => position > 0 && position < 20;
      const run = prepareRefill({ isEqual, stepsAhead, steps: 3 });
      expect(await run.run()).toMatchObject({ outcome: "done", step: 3 });
      expect(positions(run, 3).map(({ length }) => length)).toEqual([12, 11, 3]);
      expect(metric(run, "num_groups")).toEqual([1, 3, 3]);
      const message = expect.stringMatching(
        /^Step 1: 12 groups were sampled, as many as max_refill_batches allows, and 1 of 3 groups/,
      );
      expect(run.context.progress).toContainEqual({ kind: "warning", message });
      expect(metric(run, "refill/untrained_rollouts")).toEqual([22, 16, 0]);
    });

    it("ends with its data, before the planned steps", async () => {
      const isEqual = (position: number) => position % 2 === 1;
      const config = { num_epochs: 2, max_steps: null };
      const run = prepareRefill({ isEqual, stepsAhead, steps: 6, config });
      expect(await run.run()).toMatchObject({ outcome: "done", step: 3 });
      expect(positions(run, 3)).toEqual(
        expectedPositions(isEqual, { steps: 3, most: 12, end: 16 }),
      );
      expect(metric(run, "num_groups")).toEqual([3, 3, 2]);
      expect(metric(run, "progress/done_frac")).toEqual([5 / 16, 11 / 16, 1]);
      const message = "Step 3: the data ended, and 2 of 3 groups have a signal; these are trained.";
      expect(run.context.progress).toContainEqual({ kind: "notice", message });
      expect(run.asked).toHaveLength(16 * 2);
    });

    it("counts a step without any signal as empty", async () => {
      const config = { max_consecutive_empty_steps: 2 };
      const run = prepareRefill({ isEqual: () => true, stepsAhead, steps: 5, config });
      await expect(run.run()).rejects.toMatchObject({ code: "empty-steps" });
      expect(positions(run, 2).map(({ length }) => length)).toEqual([12, 12]);
    });
  },
);

describe("a group has a signal if anything in it is trained on", () => {
  /** Every second task has equal rewards, alternating between 1 and 0. */
  const rewardOf = (seed: number): number => {
    const { position = 0, rollout = 0 } = placeOfSeed(seed) ?? {};
    if (position % 2 === 0) return rollout;
    return position % 4 === 1 ? 1 : 0;
  };
  const all = [0, 1, 2];
  it.each([
    [{ advantage_calculation: "centered" }, [0, 1, 2, 3, 4]],
    [{ advantage_calculation: "rloo" }, [0, 1, 2, 3, 4]],
    [{ advantage_calculation: "batch_normalized" }, [0, 1, 2, 3, 4]],
    // The reward itself is the advantage.
    [{ advantage_calculation: "direct" }, all],
    [{ advantage_calculation: "direct", zero_variance: "drop" }, [0, 1, 2, 3, 4]],
    [{ zero_variance: "keep" }, [0, 1, 2, 3, 4]],
    [{ zero_variance: "keep", loss_fn: "dro" }, all],
  ] as const)("with %j", async (config, expected) => {
    const run = prepareRefill({ isEqual: () => false, rewardOf, steps: 1, config });
    await run.run();
    expect(positions(run, 1)).toEqual([expected]);
  });

  it("but not if all advantages are 0", async () => {
    const config = { advantage_calculation: "direct" } as const;
    const run = prepareRefill({
      isEqual: () => false,
      rewardOf: (seed) => (placeOfSeed(seed)?.position === 1 ? 0 : 1),
      steps: 1,
      config,
    });
    await run.run();
    expect(positions(run, 1)).toEqual([[0, 1, 2, 3]]);
  });
});

describe("a run that refills its batches from groups sampled ahead", () => {
  const isEqual = (position: number) => (position * 7919) % 13 < 7;

  it("resumes exactly where it stopped, and plays no group twice", async () => {
    const whole = prepareRefill({ isEqual, stepsAhead: 2, steps: 6 });
    await whole.run();
    const first = prepareRefill({ isEqual, stepsAhead: 2, steps: 6 });
    const { fileSystem } = first.context;
    stopAtUpdate(first, 3);
    expect(await first.run()).toMatchObject({ outcome: "stopped" });
    const rest = prepareRefill({ isEqual, stepsAhead: 2, steps: 6, fileSystem });
    expect(await rest.run(await positionOf(first))).toMatchObject({ outcome: "done", step: 6 });
    expect([...updates(first), ...updates(rest)]).toEqual(updates(whole));
    expect([...seeds(first), ...seeds(rest)].toSorted()).toEqual(seeds(whole).toSorted());
    expect(comparableRows(rest)).toEqual(comparableRows(whole));
    expect(positions(rest, 6)).toEqual(positions(whole, 6));
    const left = [...fileSystem.files.keys()].filter((path) => /pending/.test(path));
    expect(left).toEqual([]);
  });

  it("trains on whole batches of what it sampled ahead when resumed without refill", async () => {
    const first = prepareRefill({ isEqual, stepsAhead: 2, steps: 6 });
    const { fileSystem } = first.context;
    stopAtUpdate(first, 2);
    expect(await first.run()).toMatchObject({ outcome: "stopped", step: 2 });
    const position = await positionOf(first);
    const config = { refill: false };
    const rest = prepareRefill({ isEqual, stepsAhead: 2, steps: 6, fileSystem, config });
    expect(await rest.run(position)).toMatchObject({ outcome: "done", step: 6 });
    const { cursor } = position;
    expect(positions(rest, 6).slice(2)).toEqual(
      [0, 1, 2, 3].map((step) => [0, 1, 2].map((i) => cursor + step * BATCH + i)),
    );
  });

  it("ends with its data when resumed without refill", async () => {
    const config = { num_epochs: 1, max_steps: null, refill: false };
    const rest = prepareRun({ steps: 8, config });
    const position = { ...START, step: 2, cursor: 6, optimizerUpdates: 2 };
    expect(await rest.run(position)).toMatchObject({ outcome: "done", step: 4 });
  });

  it("repeats a step that was stopped while waiting for more groups", async () => {
    const whole = prepareRefill({ isEqual, stepsAhead: 1, steps: 4 });
    await whole.run();
    const first = prepareRefill({
      isEqual,
      stepsAhead: 1,
      steps: 4,
      sampleMs: (seed) => {
        const { position = 0 } = placeOfSeed(seed) ?? {};
        if (position === 16) first.context.control.stop();
        return position * 10;
      },
    });
    expect(await first.run()).toMatchObject({ outcome: "stopped" });
    const { fileSystem } = first.context;
    const rest = prepareRefill({ isEqual, stepsAhead: 1, steps: 4, fileSystem });
    expect(await rest.run(await positionOf(first))).toMatchObject({ outcome: "done", step: 4 });
    expect([...updates(first), ...updates(rest)]).toEqual(updates(whole));
    expect(comparableRows(rest)).toEqual(comparableRows(whole));
  });
});
