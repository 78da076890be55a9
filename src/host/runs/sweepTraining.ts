/** A sweep in one terminal: its runs are regular trainings of this window, in sequence or in parallel. */

import * as l10n from "@vscode/l10n";
import { AppError } from "../../core/errors.ts";
import type { Log } from "../../core/ports.ts";
import { compareRuns, lossesOf } from "../../core/sweeps/comparedRuns.ts";
import { combinationName, isStaged } from "../../core/sweeps/planSweep.ts";
import type { SweepFile } from "../../core/sweeps/sweepFile.ts";
import type { SweepRow } from "../../core/sweeps/sweepRuns.ts";
import {
  beginSweep,
  currentRows,
  type LoadedSweep,
  loadSweep,
  type SweepPorts,
} from "../../node/loadSweep.ts";
import { runSweepRows, type SweepStart } from "../../node/runSweep.ts";
import { EXIT, worstExit } from "../../shared/exitCodes.ts";
import { formatMeasure, formatReward, plural } from "../../shared/format.ts";
import { basisText, shortKey, sweepSentence, sweptStateText } from "../../shared/sweepText.ts";
import type { LaunchEnd, TerminalAction } from "./launchWatch.ts";
import type { Following, SweepEnded, Training, TrainingRequest, Trainings } from "./trainings.ts";

export interface SweepTrainingRequest
  extends Pick<TrainingRequest, "configPath" | "title" | "overrides" | "project"> {
  /** Each `key=value,value`. */
  readonly grid: readonly string[];
  /** Number of runs in parallel, at least 1. */
  readonly parallel: number;
  /** As in {@link SweepArguments}. */
  readonly halve: number | null;
  readonly retriesFailed: boolean;
}

export interface SweepTrainingOptions extends SweepPorts {
  readonly log: Log;
  readonly trainings: Pick<Trainings, "beginSweep" | "open" | "takeSlot">;
}

export class SweepTraining implements Training {
  readonly #options: SweepTrainingOptions;
  readonly #request: SweepTrainingRequest;
  readonly #active = new Set<Training>();
  readonly #exitCodes: number[] = [];
  #isStopping = false;
  #lastFolder: string | null = null;
  /** True until its first run starts, unless the sweep had to wait for other runs. */
  #isByHand = true;

  constructor(options: SweepTrainingOptions, request: SweepTrainingRequest) {
    this.#options = options;
    this.#request = request;
  }

  async follow(following: Following): Promise<LaunchEnd | null> {
    const stop = (): Promise<boolean> =>
      this.send("stop").then(
        () => true,
        () => false,
      );
    const { title } = this.#request;
    const onWait = (): void => {
      this.#isByHand = false;
    };
    const holder = { title, stop, startsAgain: null };
    const release = await this.#options.trainings.takeSlot(holder, following, onWait);
    if (release === null) return null;
    try {
      return await this.#run(following);
    } finally {
      release();
    }
  }

  /** Sends an action to the live runs; after a stop, no further ones start. */
  async send(action: TerminalAction): Promise<string> {
    if (action === "stop" || action === "stop-now") this.#isStopping = true;
    if (this.#active.size === 0) {
      const none = l10n.t("No run of the sweep is running.");
      // The stop applies to the runs that would follow.
      if (this.#isStopping) return none;
      throw new AppError("run-not-reachable", none);
    }
    const answers = await Promise.all([...this.#active].map((training) => training.send(action)));
    return [...new Set(answers)].join("\n");
  }

  /** The live runs continue; the remaining ones are not started. */
  detached(): void {
    this.#isStopping = true;
    for (const training of this.#active) training.detached();
  }

  async #run(following: Following): Promise<LaunchEnd> {
    const { configPath, grid, overrides, halve } = this.#request;
    const loaded = await loadSweep(this.#options, { configPath, grid, overrides, halve });
    const begun = await beginSweep(this.#options, loaded);
    const { lease, rows } = begun;
    const place = { ...loaded, id: lease.file.id };
    const ended = this.#options.trainings.beginSweep(lease.file.id, this);
    let end: SweepEnded | null = null;
    try {
      const count = isStaged(loaded.plan)
        ? plural(rows.length, "{0} stage", "{0} stages")
        : plural(rows.length, "{0} run", "{0} runs");
      following.print(`${lease.file.name}: ${count}\n`);
      await runSweepRows(this.#options, loaded, begun, this.#request, {
        run: async (row, start) => !this.#isStopping && this.#follow(row, start, following),
        onDecision: (text) => following.print(`\n${text}\n`),
        isStopping: () => this.#isStopping,
      });
      following.print(
        summary({ ...loaded, rows: await currentRows(this.#options, place) }, lease.file),
      );
      // A run that did not start counts as stopped.
      const exitCodes = this.#isStopping ? [...this.#exitCodes, EXIT.stopped] : this.#exitCodes;
      end = {
        name: lease.file.name,
        isStaged: isStaged(loaded.plan),
        configPath,
        exitCode: worstExit(exitCodes),
        folder: this.#lastFolder,
      };
      return { ...end, error: null };
    } finally {
      ended(end);
      await lease.release();
    }
  }

  async #follow(
    { run, combination }: SweepRow,
    start: SweepStart,
    { print, signal }: Following,
  ): Promise<boolean> {
    const { configPath, project } = this.#request;
    const label = combinationName(combination);
    const isAlone = this.#request.parallel === 1;
    if (isAlone) print(`\n── ${label}\n`);
    const training = this.#options.trainings.open(
      {
        configPath,
        project,
        title: label,
        settingOverrides: [],
        sweep: start.sweep,
        overrides: run === null ? start.overrides : start.resumeOverrides,
        resume: run?.folder ?? null,
      },
      null,
      this.#isByHand,
    );
    this.#isByHand = false;
    this.#active.add(training);
    try {
      const lines = isAlone ? print : labelledLines(print, label);
      const end = await training.follow({ print: lines, signal });
      // The user dismissed a prompt, and the next run would ask the same.
      if (end === null) this.#isStopping = true;
      this.#lastFolder = end?.folder ?? this.#lastFolder;
      const exitCode = end === null ? EXIT.stopped : (end.exitCode ?? EXIT.interrupted);
      // With `halve`, runs stop by themselves.
      const isAsPlanned = this.#request.halve !== null && !this.#isStopping;
      this.#exitCodes.push(isAsPlanned && exitCode === EXIT.stopped ? EXIT.done : exitCode);
      return exitCode === EXIT.done;
    } finally {
      this.#active.delete(training);
    }
  }
}

/** Prints each complete line prefixed with `label`. */
export function labelledLines(
  print: (text: string) => void,
  label: string,
): (text: string) => void {
  let partial = "";
  return (text) => {
    const lines = `${partial}${text}`.split("\n");
    partial = lines.pop() ?? "";
    const shown = lines.filter((line) => line.trim() !== "");
    if (shown.length > 0) print(shown.map((line) => `${label}  ${line}\n`).join(""));
  };
}

/** One line per run, and which setting of a sweep mattered. */
function summary(
  { plan, rows }: Pick<LoadedSweep, "plan" | "rows">,
  sweep: Pick<SweepFile, "halve">,
): string {
  const losses = lossesOf(rows);
  const { by, effects, results } = compareRuns(rows);
  const lines = rows.map(({ combination, run }, index) => {
    const loss = losses[index] ?? null;
    const reached =
      loss === null
        ? l10n.t(
            "reward {0}",
            formatReward((isStaged(plan) ? run?.reward : results[index]) ?? null),
          )
        : l10n.t("loss {0}", formatMeasure(loss));
    const state =
      run === null
        ? l10n.t("not started")
        : `${sweptStateText(run.phase, run.file?.sweep?.left ?? null)}, ${plural(run.steps, "{0} step", "{0} steps")}, ${reached}`;
    return `${combinationName(combination)}  ${state}\n`;
  });
  // Most runs of a halved sweep ended early, so their results say little about a setting.
  if (isStaged(plan) || sweep.halve !== null) return `\n${lines.join("")}`;
  const keys = effects.settings.map(({ key }) => key);
  // Omitted while no run has a result, and if only the seed varies.
  const hasAnswer = effects.runs > 0 && keys.length > 0;
  const sentence = sweepSentence(effects, (key) => shortKey(key, keys));
  const answer = hasAnswer ? `\n${sentence}\n${basisText(by)}\n` : "";
  return `\n${lines.join("")}${answer}`;
}
