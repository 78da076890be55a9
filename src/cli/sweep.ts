/**
 * The commands `sweep`, and `train` with stages: run grid combinations in parallel, or stages in sequence, and continue what an earlier
 * start left.
 */

import * as l10n from "@vscode/l10n";
import { isLocalModel } from "../core/config/fields/presets.ts";
import { AppError, isAppError } from "../core/errors.ts";
import { compareRuns } from "../core/sweeps/comparedRuns.ts";
import { keptRows } from "../core/sweeps/halving.ts";
import { ASK_ABOVE, combinationName, isStaged, type SweepPlan } from "../core/sweeps/planSweep.ts";
import type { SweepFile } from "../core/sweeps/sweepFile.ts";
import { actionFor, type SweepAction, type SweepRow } from "../core/sweeps/sweepRuns.ts";
import type { Watcher } from "../core/training/run/progress.ts";
import {
  type BegunSweep,
  beginSweep,
  currentRows,
  hasStages,
  type LoadedSweep,
  loadSweep,
} from "../node/loadSweep.ts";
import { runSweepRows, type SweepStart } from "../node/runSweep.ts";
import { readConfig } from "../node/startConfig.ts";
import { EXIT, worstExit } from "../shared/exitCodes.ts";
import { plural } from "../shared/format.ts";
import type { ActiveRun } from "../trainer/plan/types.ts";
import type { ProgramOptions, TrainerProgram } from "./arguments/programOptions.ts";
import type { SweepCommand, TrainCommand } from "./arguments/trainingArguments.ts";
import { type SweepOutcome, sweepResults } from "./sweepResults.ts";
import { sweepJson, sweepTable } from "./sweepTable.ts";
import { errorLines } from "./terminal/exitCode.ts";
import type { Invocation } from "./terminal/invocation.ts";
import { BLANK, type Line, labelled, styled } from "./terminal/line.ts";
import { prefixed, type Terminal } from "./terminal/terminal.ts";
import { showStarted, stopOnInterrupt } from "./train.ts";

/**
 * Runs or shows a sweep; resolves with the exit code.
 * @throws AppError `config-invalid` with a line per problem, `config-identity`, `sweep-in-use`, `bad-arguments`
 */
export async function runSweep(options: TrainerProgram, command: SweepCommand): Promise<number> {
  const loaded = await loadSweep(options, command);
  if (command.isShowOnly) {
    await printResults(options, command, loaded, { rows: loaded.rows, outcomes: new Map() });
    return EXIT.done;
  }
  requireConfirmed(command, loaded.rows);
  const begun = await beginSweep(options, loaded);
  const { lease, rows } = begun;
  const place = { ...loaded, id: lease.file.id };
  try {
    const progress = command.wantsJson ? options.err : options.out;
    progress.print(beginningLines(command, lease.file, { ...loaded, rows }));
    const session = new SweepSession({ ...options, out: progress }, command, loaded.plan);
    const outcomes = await session.run(loaded, begun);
    const ended = { rows: await currentRows(options, place), outcomes };
    const known = { ...loaded, sweep: lease };
    const results = await printResults(options, command, known, ended);
    return worstExit(results.map(({ exitCode }) => exitCode));
  } finally {
    await lease.release();
  }
}

interface SweepEnd {
  readonly rows: readonly SweepRow[];
  readonly outcomes: ReadonlyMap<number, SweepOutcome>;
}

async function printResults(
  { fileSystem, invocation, out }: ProgramOptions,
  { wantsJson }: SweepCommand,
  { plan, parent, sweep }: LoadedSweep,
  { rows, outcomes }: SweepEnd,
) {
  const results = await sweepResults(fileSystem, rows, outcomes, sweep.file);
  const { by, effects } = compareRuns(rows);
  const isHalved = sweep.file.halve !== null;
  const named = { name: sweep.file.name, parent, grid: plan.grid, results, by, effects, isHalved };
  const table = (): readonly Line[] => [BLANK, ...sweepTable(named, invocation, out.columns)];
  out.print(wantsJson ? [sweepJson(named)] : table());
  return results;
}

/**
 * Trains a configuration's stages; resolves with the exit code, or null if it has no stages.
 * @throws AppError like {@link runSweep}
 */
export async function trainStages(
  options: TrainerProgram,
  command: TrainCommand,
): Promise<number | null> {
  const { configPath: path, overrides } = command;
  // The training reports an unreadable file.
  const text = await readConfig(options.fileSystem, path).catch(noText);
  if (text === null || !hasStages(text, { path, overrides })) return null;
  return runSweep(options, {
    ...command,
    kind: "sweep",
    grid: [],
    parallel: 1,
    halve: null,
    retriesFailed: true,
    isShowOnly: false,
    wantsJson: false,
    isConfirmed: false,
  });
}

function noText(error: unknown): null {
  if (isAppError(error)) return null;
  throw error;
}

/** @throws AppError `bad-arguments` for more runs than may start without confirmation */
function requireConfirmed({ isConfirmed }: SweepCommand, rows: readonly SweepRow[]): void {
  if (isConfirmed || rows.length <= ASK_ABOVE) return;
  throw new AppError(
    "bad-arguments",
    `--grid: error: these are ${rows.length} runs, more than ${ASK_ABOVE}. Add --yes to start them all, or --show to see them first.`,
  );
}

function beginningLines(
  { parallel, retriesFailed }: SweepCommand,
  file: SweepFile,
  { plan, rows: all }: Pick<LoadedSweep, "plan" | "rows">,
): readonly Line[] {
  const rows = keptRows(all, file);
  const count = (action: SweepAction): number =>
    rows.filter((row) => actionFor(row, retriesFailed) === action).length;
  const dropped = all.length - rows.length;
  const done = rows.filter(({ run }) => run?.phase === "done").length;
  const left = count("skip") - done;
  const atOnce = Math.min(parallel, count("start") + count("resume"));
  const isShared = rows.some(({ combination }) => isLocalModel(combination.config.model_name));
  const parts = [
    isStaged(plan)
      ? rows.map(({ combination }) => combination.config.stage ?? "").join(" → ")
      : plural(all.length, "{0} run", "{0} runs"),
    ...(dropped > 0 ? [l10n.t("{0} dropped", dropped)] : []),
    l10n.t("{0} to start", count("start")),
    ...(count("resume") > 0 ? [l10n.t("{0} to resume", count("resume"))] : []),
    ...(done > 0 ? [l10n.t("{0} done", done)] : []),
    ...(left > 0 ? [l10n.t("{0} failed; --retry-failed tries again", left)] : []),
    ...(count("busy") > 0 ? [l10n.t("{0} running elsewhere", count("busy"))] : []),
  ];
  const sharing = l10n.t(
    "{0} concurrent runs share the processors of this computer, so each takes longer than alone",
    atOnce,
  );
  return [
    labelled(isStaged(plan) ? l10n.t("stages") : l10n.t("sweep"), styled("strong", file.name)),
    labelled(l10n.t("plan"), parts.join(", ")),
    ...(atOnce > 1 && isShared ? [[styled("warning", sharing)]] : []),
  ];
}

/** One execution of the command: the runs in progress and their outcomes. */
class SweepSession {
  readonly #options: TrainerProgram;
  readonly #command: SweepCommand;
  readonly #invocation: Invocation;
  /** If true, no stage follows a failed one. */
  readonly #isStaged: boolean;
  readonly #active = new Set<ActiveRun>();
  readonly #outcomes = new Map<number, SweepOutcome>();
  #isStopping = false;

  constructor(options: TrainerProgram, command: SweepCommand, plan: SweepPlan) {
    const shared = plan.sharedOverrides.map((text) => `--${text}`);
    const resume = ["train", command.configPath, ...shared];
    this.#options = options;
    // Stages share a budget, and resuming a single stage would not start the next one.
    this.#isStaged = isStaged(plan);
    this.#invocation = this.#isStaged ? { ...options.invocation, resume } : options.invocation;
    this.#command = command;
  }

  /** Resolves with the outcomes of started combinations, by index. */
  async run(loaded: LoadedSweep, begun: BegunSweep): Promise<ReadonlyMap<number, SweepOutcome>> {
    const release = stopOnInterrupt(this.#options, {
      print: (lines) => this.#options.out.print(lines),
      stopAndSave: () => {
        this.#isStopping = true;
        for (const run of this.#active) run.stopAndSave();
      },
      stopNow: () => {
        for (const run of this.#active) run.stopNow();
      },
    });
    const run = async (row: SweepRow, start: SweepStart): Promise<boolean> =>
      !this.#isStopping && this.#follow(row, start);
    const onDecision = (text: string): void =>
      this.#options.out.print([BLANK, [styled("strong", text)]]);
    try {
      await runSweepRows(this.#options, loaded, begun, this.#command, {
        run,
        onDecision,
        isStopping: () => this.#isStopping,
      });
    } finally {
      release();
    }
    return this.#outcomes;
  }

  /**
   * Resolves with whether the run is done. A failed run ends neither the others nor the sweep, unless all remaining runs would fail the
   * same way.
   */
  async #follow(row: SweepRow, start: SweepStart): Promise<boolean> {
    const { index } = row.combination;
    const out = this.#terminal(row);
    let run: ActiveRun | null = null;
    try {
      const invocation = this.#invocation;
      const shown = showStarted({ ...this.#options, out, invocation }, (watch) =>
        this.#start(row, start, watch),
      );
      run = shown.run;
      this.#active.add(run);
      const end = await shown.ended;
      this.#outcomes.set(index, { kind: "ended", end });
      return end.outcome === "done";
    } catch (error) {
      out.print(errorLines(error, this.#options.isDebug));
      this.#outcomes.set(index, { kind: "failed", error });
      if (isAppError(error, "tinker-billing")) this.#startNoMore(out);
      return false;
    } finally {
      if (run !== null) this.#active.delete(run);
    }
  }

  /** For an unpaid bill: every further run would fail at its start, which does not wait for payment. */
  #startNoMore(out: Terminal): void {
    if (this.#isStopping || this.#isStaged) return;
    this.#isStopping = true;
    const text = l10n.t(
      "No more runs will start. Repeat the command with --retry-failed when the account is no longer blocked.",
    );
    out.print([[styled("warning", text)]]);
  }

  #start({ run }: SweepRow, start: SweepStart, watch: Watcher): ActiveRun {
    const { trainer } = this.#options;
    const { allowedOrigins, configPath } = this.#command;
    const request = { owner: "terminal", allowedOrigins, watch } as const;
    if (run === null) return trainer.startTraining({ ...start, ...request, configPath });
    const { folder } = run;
    const named = { configPath, overrides: start.overrides };
    return trainer.resumeTraining({ ...request, folder, named, overrides: start.resumeOverrides });
  }

  /** Lines of parallel runs are prefixed with the run's name. */
  #terminal({ combination }: SweepRow): Terminal {
    const { out } = this.#options;
    const label = combinationName(combination);
    if (this.#command.parallel > 1) return prefixed(out, styled("quiet", `${label}  `));
    out.print([BLANK, [styled("strong", `── ${label}`)]]);
    return out;
  }
}
