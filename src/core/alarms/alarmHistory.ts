/** What alarms must know of a run: a bounded number of its rows, the same after a resume as without one. */

import type { AlarmId } from "../config/schema.ts";
import type { FolderFiles } from "../ports.ts";
import { runPaths } from "../runFolder/layout.ts";
import { readLines } from "../runFolder/lineReader.ts";
import { flattenMetrics, type MetricsRow } from "../runFolder/metricsTree.ts";
import { isMetricsRow } from "../runFolder/reader.ts";

export type AlarmFacts = ReturnType<typeof alarmFacts>;

/** What is known of a run so far. */
export interface AlarmPast {
  /** Recent steps, the one to judge last. */
  readonly steps: readonly AlarmFacts[];
  /** Log-probability gaps of the first steps that had one. */
  readonly firstGaps: readonly number[];
}

/** First steps whose log-probability gap shows what is usual for the model. */
export const BASELINE_STEPS = 5;
/** Steps that the longest measure looks back over. */
export const MEASURED_STEPS = 13;
/** An alarm ends after so many steps in a row without a reason for it, so that it does not flicker. */
export const CLEAR_AFTER_STEPS = 3;
const KEPT_STEPS = MEASURED_STEPS + CLEAR_AFTER_STEPS;
const PREFIX = "alarm/";

export class AlarmHistory {
  #past: AlarmPast = { steps: [], firstGaps: [] };

  /** The rows that stand in the run folder: those before the next step. @throws AppError `file-unreadable` */
  static async read(fileSystem: FolderFiles, folder: string): Promise<AlarmHistory> {
    const history = new AlarmHistory();
    // A long run has thousands of rows, of which the alarms need only a few.
    const last: MetricsRow[] = [];
    for await (const { value } of readLines(fileSystem, runPaths(folder).metrics)) {
      if (!isMetricsRow(value)) continue;
      if (history.#past.firstGaps.length < BASELINE_STEPS) history.add(value);
      else if (last.push(value) > KEPT_STEPS) last.shift();
    }
    for (const row of last) history.add(row);
    return history;
  }

  /** What is known once `row` is there; it is not kept. */
  with(row: MetricsRow): AlarmPast {
    return { ...this.#past, steps: [...this.#past.steps, alarmFacts(row)] };
  }

  /** Keeps a row with its alarms. */
  add(row: MetricsRow): void {
    const { steps, firstGaps } = this.with(row);
    const gap = steps.at(-1)?.logprobGap ?? [];
    this.#past = {
      steps: steps.slice(-KEPT_STEPS),
      firstGaps: firstGaps.concat(gap).slice(0, BASELINE_STEPS),
    };
  }
}

/** The numbers of a row that alarms rest on. What the row lacks is null, and 0 where it is counted. */
function alarmFacts(row: MetricsRow) {
  const flat = flattenMetrics(row);
  const number = (name: string): number | null => {
    const value = flat[name];
    return typeof value === "number" ? value : null;
  };
  const count = (name: string): number => number(name) ?? 0;
  const total = (name: string): number => count(`${name}/mean`) * count(`${name}/count`);
  const toolCalls = total("rollout/tool_calls");
  const mixed = number("group/frac_mixed");
  return {
    firing: firingAfter(row),
    groups: count("group/size/count"),
    /** Groups with two rewards at least. */
    comparedGroups: count("group/compared"),
    /** Rollouts that were played, scored or not. */
    rollouts: Math.round(total("group/size")),
    scored: count("rollout/reward/count"),
    failed: count("num_errors"),
    timedOut: count("num_timed_out"),
    turns: count("rollout/tokens_per_turn/count"),
    toolCalls: Math.round(toolCalls),
    trainedTokens: count("train/action_tokens"),
    parsedShare: number("rollout/parse_ok_frac"),
    truncatedShare: number("rollout/turn_truncated_frac"),
    toolErrorShare: toolCalls === 0 ? null : total("rollout/failed_tool_calls") / toolCalls,
    /** Shares of the groups whose rewards were all equal, and equal to a success. */
    equalShare: mixed === null ? null : 1 - mixed,
    allGoodShare: number("group/frac_all_good"),
    identicalShare: number("rollout/duplicate_frac"),
    /** Share of identical rollouts that the model's probabilities let expect. */
    expectedIdenticalShare: number("rollout/duplicate_expected_frac"),
    nonfiniteRewards: number("rollout/nonfinite_rewards"),
    logprobGap: number("optim/kl_sample_train_v2"),
    samplerAge: number("async/staleness/max"),
    responseTokens: number("rollout/response_tokens/mean"),
    reward: number("rollout/reward/mean"),
    rewardStd: number("rollout/reward/std"),
    successShare: number("rollout/success_frac"),
    lagMs: number("client/event_loop_lag_ms"),
    totalS: number("time/total_s"),
    costShare: number("budget/cost_frac"),
    tokenShare: number("budget/tokens_frac"),
    timeShare: number("budget/hours_frac"),
  };
}

/** Alarms that fired after the step of `row`; none for a row that was not judged. */
export function firingAfter(row: MetricsRow): ReadonlySet<AlarmId> {
  const names = Object.entries(flattenMetrics(row)).flatMap(([name, value]) =>
    name.startsWith(PREFIX) && value === 1 ? name.slice(PREFIX.length) : [],
  );
  // An alarm of another version is harmless: nothing looks it up.
  return new Set(names as AlarmId[]);
}
