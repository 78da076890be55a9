/** The run history that alarms use: a bounded number of rows, plus each step's reward. Identical with and without a resume. */

import { type Trend, trendOf } from "../../shared/trend.ts";
import type { TrendPoint } from "../../shared/trendPoint.ts";
import type { FolderFiles } from "../ports.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { readLines } from "../runFolder/files/lineReader.ts";
import type { MetricsRow } from "../runFolder/metrics/metricsTree.ts";
import { rewardPoint } from "../runFolder/metrics/trendMetrics.ts";
import { isMetricsRow } from "../runFolder/reader.ts";
import { type AlarmFacts, alarmFacts } from "./alarmFacts.ts";
import { stepReward } from "./rewardFall.ts";

/** What is known about a run so far. */
export interface AlarmPast {
  /** Recent steps, ending with the one to judge. */
  readonly steps: readonly AlarmFacts[];
  /** Log-probability gaps of the first steps with samplers at full age; they are near 0 while `max_steps_off_policy` fills up. */
  readonly firstGaps: readonly number[];
  /** Mean advantage sizes of the first steps, starting with the first nonzero one. */
  readonly firstAdvantages: readonly number[];
  /** Mean rewards of all steps that have enough rollouts. */
  readonly rewards: readonly TrendPoint[];
  /** Held-out measurements of a supervised run. */
  readonly heldOut: readonly HeldOutPoint[];
  /** Loss of a supervised run's first step, before any update; null for other runs. */
  readonly firstLoss: number | null;
}

/** A held-out measurement next to the training loss of the latest steps. */
interface HeldOutPoint {
  /** Counts from 0. */
  readonly step: number;
  readonly heldOut: number;
  readonly trained: number;
}

const NOTHING: AlarmPast = {
  steps: [],
  firstGaps: [],
  firstAdvantages: [],
  rewards: [],
  heldOut: [],
  firstLoss: null,
};

/** Number of first steps whose log-probability gap defines what is normal for the model. */
export const BASELINE_STEPS = 5;
/** Number of steps that the longest measure looks back over. */
export const MEASURED_STEPS = 13;
/** An alarm ends only after this many steps in a row without a reason for it, to avoid flicker. */
export const CLEAR_AFTER_STEPS = 3;
const KEPT_STEPS = MEASURED_STEPS + CLEAR_AFTER_STEPS;

export class AlarmHistory {
  #past: AlarmPast = NOTHING;
  #gapLag = 0;
  readonly #rewards: TrendPoint[] = [];

  /** Reads the rows in the run folder, which precede the next step. @throws AppError `file-unreadable` */
  static async read(fileSystem: FolderFiles, folder: string): Promise<AlarmHistory> {
    const history = new AlarmHistory();
    for await (const { value } of readLines(fileSystem, runPaths(folder).metrics)) {
      if (isMetricsRow(value)) history.add(value);
    }
    return history;
  }

  /** The reward's trend including `row`. */
  trendWith(row: MetricsRow): Trend {
    return trendOf([...this.#rewards, ...rewardOf(row)]);
  }

  /** The history including `row`, without keeping the row. */
  with(row: MetricsRow): AlarmPast {
    return withStep(this.#past, alarmFacts(row));
  }

  /** Keeps a row, including its alarms. */
  add(row: MetricsRow): void {
    const facts = alarmFacts(row);
    const { steps, ...past } = withStep(this.#past, facts);
    const { logprobGap, advantageSize, allowedLag } = facts;
    const isOlder = allowedLag > this.#gapLag;
    this.#gapLag = Math.max(this.#gapLag, allowedLag);
    this.#rewards.push(...rewardOf(row));
    this.#past = {
      steps: steps.slice(-KEPT_STEPS),
      firstGaps: firstOf(isOlder ? [] : past.firstGaps, logprobGap),
      firstAdvantages: firstOf(
        past.firstAdvantages,
        past.firstAdvantages.length === 0 ? advantageSize || null : advantageSize,
      ),
      rewards: past.rewards,
      heldOut: past.heldOut,
      firstLoss: past.firstLoss,
    };
  }
}

function rewardOf(row: MetricsRow): readonly TrendPoint[] {
  const point = rewardPoint(row);
  return point === null ? [] : [point];
}

function withStep(past: AlarmPast, facts: AlarmFacts): AlarmPast {
  const rewards = past.rewards.concat(stepReward(facts) ?? []);
  const heldOut = past.heldOut.concat(heldOutPoint(facts) ?? []);
  const firstLoss = past.firstLoss ?? (facts.fit === null ? null : facts.loss);
  return { ...past, steps: [...past.steps, facts], rewards, heldOut, firstLoss };
}

function heldOutPoint({ step, fit, heldOutLoss }: AlarmFacts): HeldOutPoint | null {
  if (fit === null || heldOutLoss === null) return null;
  return { step, heldOut: heldOutLoss, trained: fit.now };
}

function firstOf(known: readonly number[], value: number | null): readonly number[] {
  return known.concat(value ?? []).slice(0, BASELINE_STEPS);
}
