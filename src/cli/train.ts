/** The commands `train` and `resume`: show a run on the screen, and stop it on Ctrl+C. */

import * as l10n from "@vscode/l10n";
import type { Watcher } from "../core/training/run/progress.ts";
import type { ActiveRun, RunEnd } from "../trainer/plan/types.ts";
import type { ProgramOptions } from "./arguments/programOptions.ts";
import { Screen } from "./progress/screen.ts";
import { type Line, styled } from "./terminal/line.ts";

/** A run shown on its own screen. */
interface ShownRun {
  readonly screen: Screen;
  readonly run: ActiveRun;
  /** Resolves when the run has ended and its end has been printed. @throws AppError from the run */
  readonly ended: Promise<RunEnd>;
}

type ScreenOptions = Pick<ProgramOptions, "out" | "clock" | "invocation">;

/**
 * Shows a run until it ends; prints `stopping` when interrupted. The first interrupt stops and saves, the second stops immediately, and a
 * third has the system's default effect.
 * @throws AppError from the run
 */
export async function followRun(
  options: ProgramOptions,
  start: (watch: Watcher) => ActiveRun,
  stopping?: string,
): Promise<RunEnd> {
  const { screen, run, ended } = showStarted(options, start);
  const release = stopOnInterrupt(options, {
    print: (lines) => screen.print(lines),
    stopAndSave: () => run.stopAndSave(),
    stopNow: () => run.stopNow(),
    stopping,
  });
  try {
    return await ended;
  } finally {
    release();
  }
}

/** Starts a run and shows it until it ends. */
export function showStarted(
  { out, clock, invocation }: ScreenOptions,
  start: (watch: Watcher) => ActiveRun,
): ShownRun {
  const screen = new Screen({ terminal: out, clock, invocation });
  const run = start(screen.watch);
  return { screen, run, ended: showEnd(screen, run) };
}

async function showEnd(screen: Screen, run: ActiveRun): Promise<RunEnd> {
  try {
    const end = await run.ended;
    screen.close();
    screen.printEnd(end);
    return end;
  } catch (error) {
    screen.close();
    screen.printNextSteps();
    throw error;
  }
}

export interface Interruptible extends Pick<ActiveRun, "stopAndSave" | "stopNow"> {
  readonly print: (lines: readonly Line[]) => void;
  /** Text to print at the first interrupt; absent = the text for a training. */
  readonly stopping?: string | undefined;
}

/**
 * The first interrupt stops and saves, the second stops immediately. Later ones, and all after release, have the system's default effect.
 */
export function stopOnInterrupt(
  { interrupts }: Pick<ProgramOptions, "interrupts">,
  { print, stopAndSave, stopNow, stopping }: Interruptible,
): () => void {
  let isStopping = false;
  const release = interrupts(() => {
    if (isStopping) {
      print([[styled("warning", l10n.t("ending now"))]]);
      release();
      stopNow();
      return;
    }
    isStopping = true;
    const notice =
      stopping ??
      l10n.t("stopping: the last completed step is saved; press Ctrl+C again to end immediately");
    print([[styled("warning", notice)]]);
    stopAndSave();
  });
  return release;
}
