/** Results of a sweep's runs, and their exit codes. */

import { parseErrorCode } from "../core/errorCodes.ts";
import { AppError, errorMessage } from "../core/errors.ts";
import type { FileSystem } from "../core/ports.ts";
import type { ListedRun } from "../core/runs/runList.ts";
import { compareRuns, lossesOf } from "../core/sweeps/comparedRuns.ts";
import { isDropped } from "../core/sweeps/halving.ts";
import type { SweepFile } from "../core/sweeps/sweepFile.ts";
import { runFigures, type SweepRow } from "../core/sweeps/sweepRuns.ts";
import { EXIT } from "../shared/exitCodes.ts";
import type { SweepChange } from "../shared/runFile.ts";
import { lastRewardsMean } from "../shared/sweepResult.ts";
import type { RunEnd } from "../trainer/plan/types.ts";
import { exitCodeOf, exitCodeOfRun } from "./terminal/exitCode.ts";

/** How a run started by this process ended. */
export type SweepOutcome =
  | { readonly kind: "ended"; readonly end: RunEnd }
  | { readonly kind: "failed"; readonly error: unknown };

export interface SweepResult {
  /** `key=value` for each key of the grid. */
  readonly settings: readonly string[];
  readonly state: ListedRun["phase"] | "not-started";
  /** Null while it counts in the sweep. */
  readonly left: SweepChange | null;
  /** Completed steps. */
  readonly steps: number;
  /** Mean rewards of the last step, of the last five, and of the best five consecutive steps. */
  readonly lastReward: number | null;
  readonly recentReward: number | null;
  readonly bestReward: number | null;
  /** Reward in the evaluation by which runs are compared; null if they are compared by something else. */
  readonly evaluatedReward: number | null;
  /** Loss of a supervised run; null for other runs. */
  readonly loss: number | null;
  /** Sum over all steps, in seconds. */
  readonly totalS: number;
  /** Null if unknown. */
  readonly costUsd: number | null;
  /** Null when there is no run. */
  readonly folder: string | null;
  /** Why it failed or cannot be read; null if neither. */
  readonly problem: string | null;
  readonly exitCode: number;
}

/** `outcomes` in this process, by combination index; `sweep` with the decisions so far. @throws AppError `file-unreadable` */
export function sweepResults(
  fileSystem: FileSystem,
  rows: readonly SweepRow[],
  outcomes: ReadonlyMap<number, SweepOutcome>,
  sweep: Pick<SweepFile, "halve" | "rungs">,
): Promise<readonly SweepResult[]> {
  const losses = lossesOf(rows);
  const { by, results } = compareRuns(rows);
  return Promise.all(
    rows.map(async (row, index) => {
      const outcome = outcomes.get(row.combination.index) ?? null;
      const evaluatedReward = by.kind === "evaluation" ? (results[index] ?? null) : null;
      const result = await sweepResult(fileSystem, row, outcome);
      const own = isDropped(row, sweep)
        ? ({ ...result, state: "dropped", exitCode: EXIT.done } as const)
        : result;
      return { ...own, loss: losses[index] ?? null, evaluatedReward };
    }),
  );
}

async function sweepResult(
  fileSystem: FileSystem,
  { combination: { settings }, run }: SweepRow,
  outcome: SweepOutcome | null,
): Promise<Omit<SweepResult, "loss" | "evaluatedReward">> {
  const exitCode = outcome === null ? exitCodeOfStored(run) : exitCodeOfOutcome(outcome);
  const error = outcome?.kind === "failed" ? errorMessage(outcome.error) : null;
  if (run === null) {
    const state = error === null ? "not-started" : "failed";
    const rewards = { lastReward: null, recentReward: null, bestReward: null };
    const nothing = { left: null, steps: 0, ...rewards, totalS: 0, costUsd: null, folder: null };
    return { settings, ...nothing, state, problem: error, exitCode };
  }
  const { folder, steps, reward: lastReward, phase: state } = run;
  const problem = error ?? storedProblem(run);
  const figures = await runFigures(fileSystem, folder);
  const recentReward = lastRewardsMean(run.recentRewards);
  const costUsd = run.used?.costUsd ?? null;
  const rewards = { lastReward, recentReward };
  const left = run.file?.sweep?.left ?? null;
  return {
    settings,
    state,
    left,
    steps,
    ...rewards,
    ...figures,
    costUsd,
    folder,
    problem,
    exitCode,
  };
}

function storedProblem({ phase, file, problem }: ListedRun): string | null {
  return (phase === "failed" ? file?.ending?.message : null) ?? problem;
}

function exitCodeOfOutcome(outcome: SweepOutcome): number {
  return outcome.kind === "ended" ? exitCodeOfRun(outcome.end) : exitCodeOf(outcome.error);
}

/** The exit code according to the folder, for a run that this process did not start. */
function exitCodeOfStored(run: ListedRun | null): number {
  if (run === null) return EXIT.stopped;
  if (run.phase === "done") return EXIT.done;
  if (run.phase === "failed") {
    const { code, message } = run.file?.ending ?? { code: "bug", message: "" };
    return exitCodeOf(new AppError(parseErrorCode(code), message));
  }
  return run.phase === "interrupted" ? EXIT.interrupted : EXIT.stopped;
}
