/**
 * Successive halving (arXiv:1502.07943): all runs of a sweep train for a few steps, the better half of the settings goes on for as many steps
 * again, and so on. Nothing is trained twice, because a resumed run continues exactly.
 */

import { groupBy } from "../../shared/groupBy.ts";
import { sum } from "../../shared/mean.ts";
import type { SweepBasis } from "../../shared/sweepResult.ts";
import { kindOfError, parseErrorCode } from "../errorCodes.ts";
import type { FileSystem } from "../ports.ts";
import { heldOutLoss } from "../runFolder/metrics/fitMetrics.ts";
import { createRunReader } from "../runFolder/reader.ts";
import { type ListedRun, rowFacts } from "../runs/runList.ts";
import { settingsName } from "../runs/shownNames.ts";
import { mean } from "../util/stats.ts";
import { type ComparedRun, compareRuns, hasLeft } from "./comparedRuns.ts";
import type { Combination } from "./planSweep.ts";
import type { Rung, SweepFile } from "./sweepFile.ts";
import { actionFor, type SweepRow } from "./sweepRuns.ts";

/** The runs that go on, and the step at which they stop; null = at their end. */
export interface Heat {
  readonly rows: readonly SweepRow[];
  readonly stopAt: number | null;
}

/** What to train after `rungs`, beginning with `first` steps. */
export function nextHeat(rows: readonly SweepRow[], first: number, rungs: readonly Rung[]): Heat {
  const last = rungs.at(-1);
  const own = last === undefined ? rows : rows.filter((row) => isKept(row, last));
  const isDecided = countSettings(own.filter((row) => !hasLeft(row))) < 2;
  return { rows: own, stopAt: isDecided ? null : last === undefined ? first : 2 * last.step };
}

/** The rows that are not dropped; all without `halve`. */
export function keptRows(
  rows: readonly SweepRow[],
  { halve, rungs }: Pick<SweepFile, "halve" | "rungs">,
): readonly SweepRow[] {
  return halve === null ? rows : nextHeat(rows, halve, rungs).rows;
}

/** True if a decision ended the run, or kept it from starting. */
export function isDropped(
  row: SweepRow,
  { halve, rungs }: Pick<SweepFile, "halve" | "rungs">,
): boolean {
  const hasOwnEnd = row.run?.phase === "done" || row.run?.phase === "failed";
  return halve !== null && !hasOwnEnd && !rungs.every((rung) => isKept(row, rung));
}

function isKept({ combination }: Pick<SweepRow, "combination">, { kept }: Rung): boolean {
  return kept.includes(combination.index);
}

/** Number of settings, not counting repetitions with another seed. */
export function countSettings(rows: readonly Pick<SweepRow, "combination">[]): number {
  return bySettings(rows).size;
}

/** Why nothing could be dropped after `first` steps, as a sentence; null if something can. */
export function halvingFault(
  rows: readonly Pick<SweepRow, "combination">[],
  first: number,
): string | null {
  if (countSettings(rows) < 2) {
    return "The runs differ at most in their seed, so there is no worse half to stop.";
  }
  const longest = rows.reduce(
    (steps, { combination }) =>
      Math.max(steps, combination.config.max_steps ?? Number.POSITIVE_INFINITY),
    0,
  );
  if (first < longest) return null;
  return `No run has more than ${longest} steps, so none would stop after ${first}.`;
}

/** The share of all steps that is trained if the longest runs go on and no settings are equally good; null if a run has no known end. */
export function halvedShare(
  rows: readonly Pick<SweepRow, "combination">[],
  first: number,
): number | null {
  const ends = [...bySettings(rows).values()]
    .map((own) => own.map(({ combination }) => combination.config.max_steps))
    .toSorted((a, b) => (b[0] ?? 0) - (a[0] ?? 0));
  const known = ends.flat().filter((end) => end !== null);
  if (known.length < rows.length) return null;
  const trained = known.map((_) => 0);
  let going = ends.length;
  for (let stop = first; going > 0; stop *= 2) {
    const isLast = going === 1;
    for (const index of ends.slice(0, going).flat().keys()) {
      const end = known[index] ?? 0;
      trained[index] = isLast ? end : Math.min(stop, end);
    }
    going = isLast ? 0 : Math.ceil(going / 2);
  }
  return sum(trained) / sum(known);
}

/** True when a heat's runs can be compared: each that counts has reached `step`, or has ended for good. */
export function isReady(rows: readonly SweepRow[], step: number): boolean {
  return rows.every((row) => hasLeft(row) || (row.run?.steps ?? 0) >= step || isOver(row));
}

/** True after a heat for a run that has ended for good. One without a folder failed at its start. */
export function isOver(row: SweepRow): boolean {
  return row.run === null || actionFor(row, false) === "skip" || isAtLimit(row.run);
}

function isAtLimit({ phase, file }: ListedRun): boolean {
  const code = file?.ending?.code;
  return phase === "stopped" && code !== undefined && kindOfError(parseErrorCode(code)) === "limit";
}

/** A run as it was after a number of steps; null if it failed before. */
export type MeasuredRow = ComparedRun & { readonly combination: Combination };

/** The runs as they were after `step` steps, because some may be longer already. @throws AppError `file-unreadable` */
export function measureAt(
  fileSystem: FileSystem,
  rows: readonly SweepRow[],
  step: number,
): Promise<readonly MeasuredRow[]> {
  return Promise.all(
    rows.map(async (row) => {
      const { combination, run } = row;
      const hasFailed = run?.phase !== "done" && actionFor(row, false) === "skip";
      const isGone = run === null || (hasFailed && run.steps < step);
      return { combination, run: isGone ? null : await runAt(fileSystem, run, step) };
    }),
  );
}

async function runAt(
  fileSystem: FileSystem,
  { folder, evaluated, file }: ListedRun,
  step: number,
): Promise<ComparedRun["run"]> {
  const all = await createRunReader(fileSystem.within(folder), folder).metrics();
  const rows = all.filter((row) => row.step < step);
  const last = rows.at(-1);
  const { recentRewards, steps, fit } = rowFacts(rows);
  return {
    // All count alike, as if this were their end.
    phase: "done",
    steps,
    file,
    recentRewards,
    evaluated: evaluated.filter((own) => own.step <= step),
    // A loss measured before says nothing about the steps since.
    fit: fit && { ...fit, heldOut: last === undefined ? null : heldOutLoss(last) },
  };
}

export interface Decision {
  readonly rung: Rung;
  readonly by: SweepBasis;
  /** From the best to the worst. */
  readonly settings: readonly DecidedSettings[];
  /** Settings of the runs that are not compared, because they have left the sweep. */
  readonly left: readonly string[];
}

interface DecidedSettings {
  readonly name: string;
  /** Mean of its seeds; null if one of them has none. */
  readonly result: number | null;
  readonly isKept: boolean;
}

/**
 * Keeps the better half of the settings, rounded up, by the mean result of their seeds, and those that are as good as the last of them.
 * Settings without a result come last. Runs that have left the sweep go on and do not count.
 */
export function decide(all: readonly MeasuredRow[], step: number): Decision {
  const rows = all.filter((row) => !hasLeft(row));
  const others = all.filter(hasLeft).map(({ combination }) => combination);
  const { by, results } = compareRuns(rows);
  const sign = by.kind === "heldOut" || by.kind === "now" ? -1 : 1;
  const groups = [...bySettings(rows).values()].map((own) => {
    const known = own.flatMap((row) => results[rows.indexOf(row)] ?? []);
    return { own, result: known.length < own.length ? null : mean(known) };
  });
  const score = ({ result }: (typeof groups)[number]): number =>
    result === null ? Number.NEGATIVE_INFINITY : sign * result;
  const sorted = groups.toSorted((a, b) => score(b) - score(a) || 0);
  const lastKept = sorted[Math.ceil(sorted.length / 2) - 1];
  const settings = sorted.map((group) => ({
    ...group,
    name: settingsName(withoutSeed(group.own[0]?.combination)) ?? "",
    isKept: lastKept === undefined || score(group) >= score(lastKept),
  }));
  const kept = settings.flatMap((group) =>
    group.isKept ? group.own.map(({ combination }) => combination.index) : [],
  );
  const going = [...kept, ...others.map(({ index }) => index)];
  return {
    rung: { step, kept: going.toSorted((a, b) => a - b) },
    by,
    settings,
    left: others.map((combination) => settingsName(combination.settings) ?? ""),
  };
}

/** Rows with the same settings but for their seed. */
function bySettings<Row extends Pick<SweepRow, "combination">>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  return groupBy(rows, ({ combination }) => withoutSeed(combination).join("\n"));
}

function withoutSeed(combination: Pick<Combination, "settings"> | undefined): readonly string[] {
  return combination?.settings.filter((setting) => !setting.startsWith("seed=")) ?? [];
}
