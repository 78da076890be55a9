/** The command `sweep`: runs the combinations of a grid, some at once, and continues with what an earlier start has left. */

import * as l10n from "@vscode/l10n";
import { isLocalModel } from "../core/config/fields/presets.ts";
import { AppError } from "../core/errors.ts";
import { ASK_ABOVE, combinationName, type SweepPlan } from "../core/sweeps/planSweep.ts";
import { actionFor, type SweepAction, type SweepRow } from "../core/sweeps/sweepRuns.ts";
import type { Watcher } from "../core/training/run/progress.ts";
import {
  beginSweep,
  currentRows,
  type LoadedSweep,
  loadSweep,
  runOpenRows,
  type SweepStart,
  sweepStarts,
} from "../node/loadSweep.ts";
import { EXIT, worstExit } from "../shared/exitCodes.ts";
import { plural } from "../shared/format.ts";
import type { ActiveRun } from "../trainer/types.ts";
import type { ProgramOptions } from "./arguments/programOptions.ts";
import type { SweepCommand } from "./arguments/sweepArguments.ts";
import { type SweepOutcome, sweepResults } from "./sweepResults.ts";
import { sweepJson, sweepTable } from "./sweepTable.ts";
import { errorLines } from "./terminal/exitCode.ts";
import { BLANK, type Line, labelled, styled } from "./terminal/line.ts";
import { prefixed, type Terminal } from "./terminal/terminal.ts";
import { showStarted, stopOnInterrupt } from "./train.ts";

/**
 * Runs a sweep, or shows it; resolves with the exit code.
 * @throws AppError `config-invalid` with a line per problem, `config-identity`, `sweep-in-use`, `bad-arguments`
 */
export async function runSweep(options: ProgramOptions, command: SweepCommand): Promise<number> {
  const loaded = await loadSweep(options, command);
  if (command.isShowOnly) {
    await printResults(options, command, loaded, { rows: loaded.rows, outcomes: new Map() });
    return EXIT.done;
  }
  requireConfirmed(command, loaded.rows);
  const lease = await beginSweep(options, loaded);
  const place = { ...loaded, id: lease.file.id };
  try {
    // Read again, because another process may have been at work on the sweep until now.
    const rows = await currentRows(options, place);
    const progress = command.wantsJson ? options.err : options.out;
    progress.print(beginningLines(command, lease.file.name, rows));
    const session = new SweepSession({ ...options, out: progress }, command, loaded.plan);
    const outcomes = await session.run(rows, sweepStarts(lease, loaded));
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
  const results = await sweepResults(fileSystem, rows, outcomes);
  const named = { name: sweep.file.name, parent, grid: plan.grid, results };
  const table = (): readonly Line[] => [BLANK, ...sweepTable(named, invocation, out.columns)];
  out.print(wantsJson ? [sweepJson(named)] : table());
  return results;
}

/** @throws AppError `bad-arguments` for more runs than are started without a question */
function requireConfirmed({ isConfirmed }: SweepCommand, rows: readonly SweepRow[]): void {
  if (isConfirmed || rows.length <= ASK_ABOVE) return;
  throw new AppError(
    "bad-arguments",
    `--grid: error: these are ${rows.length} runs, more than ${ASK_ABOVE}. Add --yes to start them all, or --show to see them first.`,
  );
}

function beginningLines(
  { parallel, retriesFailed }: SweepCommand,
  name: string,
  rows: readonly SweepRow[],
): readonly Line[] {
  const count = (action: SweepAction): number =>
    rows.filter((row) => actionFor(row, retriesFailed) === action).length;
  const done = rows.filter(({ run }) => run?.phase === "done").length;
  const left = count("skip") - done;
  const atOnce = Math.min(parallel, count("start") + count("resume"));
  const isShared = rows.some(({ combination }) => isLocalModel(combination.config.model_name));
  const parts = [
    plural(rows.length, "{0} run", "{0} runs"),
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
    labelled(l10n.t("sweep"), styled("strong", name)),
    labelled(l10n.t("plan"), parts.join(", ")),
    ...(atOnce > 1 && isShared ? [[styled("warning", sharing)]] : []),
  ];
}

/** One start of the command: its runs in progress, and how they end. */
class SweepSession {
  readonly #options: ProgramOptions;
  readonly #command: SweepCommand;
  readonly #secretOverrides: readonly string[];
  readonly #active = new Set<ActiveRun>();
  readonly #outcomes = new Map<number, SweepOutcome>();
  #isStopping = false;

  constructor(
    options: ProgramOptions,
    command: SweepCommand,
    { secretOverrides }: Pick<SweepPlan, "secretOverrides">,
  ) {
    this.#options = options;
    this.#command = command;
    this.#secretOverrides = secretOverrides;
  }

  /** Resolves with the outcome of each combination that was begun, by its index. */
  async run(
    rows: readonly SweepRow[],
    starts: readonly SweepStart[],
  ): Promise<ReadonlyMap<number, SweepOutcome>> {
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
    const begin = async (row: SweepRow): Promise<void> => {
      const start = starts[row.combination.index];
      if (start !== undefined && !this.#isStopping) await this.#follow(row, start);
    };
    try {
      await runOpenRows(rows, this.#command, begin);
    } finally {
      release();
    }
    return this.#outcomes;
  }

  /** A run that fails ends neither the others nor the sweep. */
  async #follow(row: SweepRow, start: SweepStart): Promise<void> {
    const { index } = row.combination;
    const out = this.#terminal(row);
    let run: ActiveRun | null = null;
    try {
      const shown = showStarted({ ...this.#options, out }, (watch) =>
        this.#start(row, start, watch),
      );
      run = shown.run;
      this.#active.add(run);
      this.#outcomes.set(index, { kind: "ended", end: await shown.ended });
    } catch (error) {
      out.print(errorLines(error, this.#options.isDebug));
      this.#outcomes.set(index, { kind: "failed", error });
    } finally {
      if (run !== null) this.#active.delete(run);
    }
  }

  #start({ run }: SweepRow, start: SweepStart, watch: Watcher): ActiveRun {
    const { trainer } = this.#options;
    const { allowedOrigins, configPath } = this.#command;
    const request = { owner: "terminal", allowedOrigins, watch } as const;
    if (run === null) return trainer.startTraining({ ...start, ...request, configPath });
    // A run keeps its own overrides but for secrets, which were never stored.
    const { folder } = run;
    const named = { configPath, overrides: start.overrides };
    return trainer.resumeTraining({ ...request, folder, named, overrides: this.#secretOverrides });
  }

  /** Lines of several runs at once each name theirs. */
  #terminal({ combination }: SweepRow): Terminal {
    const { out } = this.#options;
    const label = combinationName(combination);
    if (this.#command.parallel > 1) return prefixed(out, styled("quiet", `${label}  `));
    out.print([BLANK, [styled("strong", `── ${label}`)]]);
    return out;
  }
}
