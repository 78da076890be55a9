/** Content of a report on runs: the data of `show --json`, their settings, and selected rollouts. */

import { groupBy } from "../../shared/groupBy.ts";
import { stageOf } from "../../shared/runFile.ts";
import {
  type FlatSettings,
  type FlatSettingsOptions,
  flatSettings,
  SettingsTable,
} from "../compare/settingsTable.ts";
import { describeTrajectories } from "../outputs/rolloutsOutput.ts";
import { describeRun } from "../outputs/runOutput.ts";
import type { FileSystem, FolderFiles } from "../ports.ts";
import { readOnlyFiles } from "../readOnlyFiles.ts";
import { readEvents } from "../runFolder/events.ts";
import { readResolvedConfig } from "../runFolder/files/wholeFiles.ts";
import { isSupervised } from "../runFolder/metrics/fitMetrics.ts";
import { type MetricsRow, metricAt } from "../runFolder/metrics/metricsTree.ts";
import { createRunReader, type RolloutSummary, type RunReader } from "../runFolder/reader.ts";
import type { Liveness } from "../runFolder/runFile.ts";
import { type ListedRun, readRun } from "../runs/runList.ts";
import { shownNames } from "../runs/shownNames.ts";
import { compareRuns, type SweepComparison } from "../sweeps/comparedRuns.ts";

export interface RunsReport {
  /** Milliseconds since the Unix epoch. */
  readonly writtenAtMs: number;
  /** Version of the program. */
  readonly version: string;
  readonly runs: readonly RunInReport[];
  /** Keys whose values differ between runs, with a value for each run; null = the run does not have the key. */
  readonly differing: readonly {
    readonly key: string;
    readonly values: readonly (string | null)[];
  }[];
  /** Sweeps with at least two runs in the report. */
  readonly sweeps: readonly ReportedSweep[];
}

export interface ReportedSweep extends SweepComparison {
  readonly name: string;
}

export interface RunInReport {
  /** Unique within the report. */
  readonly name: string;
  readonly facts: Awaited<ReturnType<typeof describeRun>>;
  /** Start of its first attempt in milliseconds since the Unix epoch; null if unknown. */
  readonly startedAtMs: number | null;
  readonly settings: FlatSettings;
  readonly rollouts: readonly ReportedRollout[];
}

type Trajectories = Awaited<ReturnType<typeof describeTrajectories>>;

export interface ReportedRollout {
  /** Why it is in the report. */
  readonly reason: "best" | "worst" | "starred";
  readonly source: Trajectories["source"];
  readonly step: Trajectories["step"];
  readonly trajectory: Trajectories["trajectories"][number];
}

export interface RunToReport {
  readonly folder: string;
  /** Name given by the user, or else of its folder. */
  readonly name: string;
}

export interface ReportOptions extends Liveness, FlatSettingsOptions {
  readonly version: string;
}

/** Keeps the report short. */
const MAX_STARRED = 10;

async function firstEventMs(files: FolderFiles, folder: string): Promise<number | null> {
  for await (const { timeMs } of readEvents(files, folder)) return timeMs;
  return null;
}

/** Does not change the folders. @throws AppError `file-unreadable` */
export async function gatherReport(
  fileSystem: FileSystem,
  runs: readonly RunToReport[],
  { version, shorten, sha256, ...liveness }: ReportOptions,
): Promise<RunsReport> {
  const { nowMs } = liveness;
  const listed: (ListedRun | null)[] = [];
  for (const named of runs) listed.push(await readRun(fileSystem, named, liveness));
  const names = distinctNames(
    shownNames(
      runs.map(({ name, folder }, index) => {
        // A name other than the folder's is a label from the user.
        const label = folder.split(/[/\\]/).at(-1) === name ? null : name;
        return { name, label, file: listed[index]?.file ?? null };
      }),
    ),
  );
  const reported: RunInReport[] = [];
  for (const [index, { folder }] of runs.entries()) {
    const files = readOnlyFiles(fileSystem.within(folder));
    const described = { folder, run: listed[index] ?? null, nowMs };
    reported.push({
      name: names[index] ?? "",
      facts: await describeRun(files, { ...described, maxSteps: Number.POSITIVE_INFINITY }),
      startedAtMs: (await firstEventMs(files, folder)) ?? listed[index]?.startedAtMs ?? null,
      settings: flatSettings(await readResolvedConfig(files, folder), { shorten, sha256 }),
      rollouts: await rolloutsToRead(createRunReader(files, folder)),
    });
  }
  return {
    writtenAtMs: nowMs,
    version,
    runs: reported,
    differing: differingSettings(reported),
    sweeps: sweepsOf(listed),
  };
}

function sweepsOf(runs: readonly (ListedRun | null)[]): readonly ReportedSweep[] {
  const swept = runs.flatMap((run) => {
    const sweep = run?.file?.sweep;
    // Stages do not vary settings.
    const isSwept = sweep !== undefined && stageOf(sweep) === null;
    return run === null || !isSwept ? [] : [{ run, sweep }];
  });
  return [...groupBy(swept, ({ sweep }) => sweep.id).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined || own.length < 2) return [];
    const compared = compareRuns(own.map(({ run, sweep }) => ({ combination: sweep, run })));
    return [{ name: first.sweep.name, ...compared }];
  });
}

/** Runs from different folders may have the same name. */
function distinctNames(names: readonly string[]): readonly string[] {
  return names.map((name, index) => {
    const earlier = names.slice(0, index).filter((other) => other === name).length;
    return earlier === 0 ? name : `${name} (${earlier + 1})`;
  });
}

function differingSettings(runs: readonly RunInReport[]): RunsReport["differing"] {
  const table = new SettingsTable();
  // A run without a configuration has no known differences.
  for (const { name, settings } of runs) if (settings.size > 0) table.set(name, settings);
  return table.differing().map((key) => ({
    key,
    values: runs.map(({ settings }) => settings.get(key) ?? null),
  }));
}

function hasUnequalRewards(row: MetricsRow): boolean {
  const [most, least] = ["max", "min"].map((of) => metricAt(row, `rollout/reward/${of}`) ?? 0);
  return most !== least;
}

/** The best and the worst rollout of the last step with unequal rewards, and starred rollouts. */
async function rolloutsToRead(reader: RunReader): Promise<readonly ReportedRollout[]> {
  const chosen: { readonly summary: RolloutSummary; readonly reason: ReportedRollout["reason"] }[] =
    [];
  const rows = await reader.metrics();
  const step = rows.findLast(hasUnequalRewards)?.step ?? (await reader.steps()).at(-1);
  // The examples of a supervised step are also stored as rollouts.
  if (step !== undefined && !isSupervised(rows.at(-1))) {
    const scored = (await reader.rollouts(step)).filter(({ reward }) => reward !== null);
    const ordered = scored.toSorted((a, b) => (b.reward ?? 0) - (a.reward ?? 0));
    const [best, worst] = [ordered[0], ordered.at(-1)];
    if (best !== undefined) chosen.push({ summary: best, reason: "best" });
    if (worst !== undefined && worst.reward !== best?.reward) {
      chosen.push({ summary: worst, reason: "worst" });
    }
  }
  const { rollouts: marked } = await reader.marks();
  for (const marks of marked.filter(({ mark: { star } }) => star).slice(-MAX_STARRED)) {
    const found = (await reader.rollouts(marks.step, marks.source)).find(
      ({ group, rollout }) => group === marks.group && rollout === marks.rollout,
    );
    if (found !== undefined) chosen.push({ summary: found, reason: "starred" });
  }
  const read: ReportedRollout[] = [];
  for (const { summary, reason } of chosen) {
    const { source } = summary;
    const step = source === "training" ? summary.step + 1 : summary.step;
    const { trajectories } = await describeTrajectories(
      reader,
      { source, step },
      { summaries: [summary], wantsTokens: false },
    );
    read.push(...trajectories.map((trajectory) => ({ reason, source, step, trajectory })));
  }
  return read;
}
