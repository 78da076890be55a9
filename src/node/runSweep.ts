/** Runs a sweep: its grid in parallel, halved or whole, or its stages one after another. */

import { isAppError } from "../core/errors.ts";
import { dropRun } from "../core/runFolder/runFolder.ts";
import {
  decide,
  type Heat,
  isDropped,
  isOver,
  isReady,
  measureAt,
  nextHeat,
} from "../core/sweeps/halving.ts";
import { isStaged, namesOfRuns, runOverrides } from "../core/sweeps/planSweep.ts";
import type { KnownSweep } from "../core/sweeps/sweepFile.ts";
import { actionFor, type SweepRow } from "../core/sweeps/sweepRuns.ts";
import { Limiter } from "../core/util/limiter.ts";
import type { SweepMember } from "../shared/runFile.ts";
import { rungText, undecidedText } from "../shared/sweepText.ts";
import { type BegunSweep, currentRows, type LoadedSweep, type SweepPorts } from "./loadSweep.ts";
import { isProcessAlive } from "./processes.ts";

/** What is needed to start or resume a run of a sweep. */
export interface SweepStart {
  readonly configPath: string;
  readonly overrides: readonly string[];
  /** Overrides for a resume: a run keeps its own except for secrets, which are never stored, and the step at which it stops. */
  readonly resumeOverrides: readonly string[];
  readonly sweep: SweepMember;
}

export interface SweepHooks {
  /** Starts or resumes a run and resolves when it has ended, with whether it is done. */
  readonly run: (row: SweepRow, start: SweepStart) => Promise<boolean>;
  /** True once no further run may start. */
  readonly isStopping: () => boolean;
  /** Called with what a decision with `halve` was, or why there is none. */
  readonly onDecision: (text: string) => void;
}

export interface SweepOrder {
  readonly parallel: number;
  readonly retriesFailed: boolean;
}

type Place = Pick<LoadedSweep, "plan" | "parent" | "configPath">;

/**
 * Runs each row that needs a start or resume, in order, `parallel` at a time; resolves when all have ended. Stages run one at a time,
 * including failed ones, until one does not finish. With `halve`, it decides which runs go on whenever all of them can be compared.
 * @throws AppError `file-unreadable`, `disk`
 */
export async function runSweepRows(
  ports: SweepPorts,
  loaded: Place,
  begun: BegunSweep,
  order: SweepOrder,
  hooks: SweepHooks,
): Promise<void> {
  const { lease, rows } = begun;
  const train = (heat: Heat) => trainRows(lease, loaded, heat, order, hooks);
  if (isStaged(loaded.plan)) await trainStages(lease, loaded, rows, hooks);
  else if (lease.file.halve === null) await train({ rows, stopAt: null });
  else await halve(ports, loaded, { begun, first: lease.file.halve }, { train, ...hooks });
}

async function trainStages(
  sweep: KnownSweep,
  loaded: Place,
  rows: readonly SweepRow[],
  { run }: SweepHooks,
): Promise<void> {
  for (const row of rows) {
    if (row.run?.phase === "done") continue;
    const isOpen = ["start", "resume"].includes(actionFor(row, true));
    if (!isOpen || !(await run(row, sweepStart(sweep, loaded, row, null)))) return;
  }
}

async function trainRows(
  sweep: KnownSweep,
  loaded: Place,
  { rows, stopAt }: Heat,
  { parallel, retriesFailed }: SweepOrder,
  { run }: SweepHooks,
): Promise<void> {
  const limiter = new Limiter(parallel);
  const open = rows.filter(
    (row) =>
      ["start", "resume"].includes(actionFor(row, retriesFailed)) &&
      (stopAt === null || (row.run?.steps ?? 0) < stopAt),
  );
  await Promise.all(
    open.map((row) => limiter.run(() => run(row, sweepStart(sweep, loaded, row, stopAt)))),
  );
}

async function halve(
  ports: SweepPorts,
  loaded: Place,
  { begun: { lease, rows }, first }: { readonly begun: BegunSweep; readonly first: number },
  {
    train,
    isStopping,
    onDecision,
  }: Pick<SweepHooks, "isStopping" | "onDecision"> & {
    readonly train: (heat: Heat) => Promise<void>;
  },
): Promise<void> {
  let current = rows;
  for (;;) {
    const heat = nextHeat(current, first, lease.file.rungs);
    const { stopAt } = heat;
    await train(heat);
    if (isStopping()) return;
    current = await currentRows(ports, { ...loaded, id: lease.file.id });
    const kept = new Set(heat.rows.map(({ combination }) => combination.index));
    const own = current.filter(({ combination }) => kept.has(combination.index));
    if (stopAt === null || own.every(isOver)) return;
    if (!isReady(own, stopAt)) {
      onDecision(undecidedText(stopAt));
      return;
    }
    const decision = decide(await measureAt(ports.fileSystem, own, stopAt), stopAt);
    await lease.addRung(decision.rung);
    onDecision(rungText(decision));
    for (const { run } of own.filter((row) => isDropped(row, lease.file))) {
      if (run !== null) await markDropped(ports, run.folder, lease.file.name, stopAt);
    }
  }
}

async function markDropped(
  ports: SweepPorts,
  folder: string,
  sweep: string,
  step: number,
): Promise<void> {
  try {
    await dropRun({ ...ports, isProcessAlive }, folder, { sweep, step });
  } catch (error) {
    // A user resumes the run.
    if (!isAppError(error, "run-in-use")) throw error;
  }
}

/** How to start or resume a run, which stops after `stopAt` steps; null = at its end, or where its configuration says. */
export function sweepStart(
  { file: { id, name } }: KnownSweep,
  { plan, configPath }: Pick<LoadedSweep, "plan" | "configPath">,
  { combination, run }: SweepRow,
  stopAt: number | null,
): SweepStart {
  const { index, settings, config } = combination;
  const own = namesOfRuns(name, plan)[index] ?? name;
  const wanted = stopAt ?? config.stop_at_step;
  // A round may have trained a run beyond the stop of its configuration.
  const isPassed = wanted !== null && wanted < (run?.steps ?? 0);
  const stop = `stop_at_step=${isPassed ? null : wanted}`;
  return {
    configPath,
    overrides: [...runOverrides(combination, own), ...(stopAt === null ? [] : [stop])],
    resumeOverrides: [...plan.secretOverrides, stop],
    sweep: {
      id,
      name,
      combination: index,
      combinations: plan.combinations.length,
      settings,
    },
  };
}
