/** The commands `train` and `resume`: show a run on the screen, and stop it on Ctrl+C. */

import type { Watcher } from "../core/training/progress.ts";
import { l10n } from "../shared/l10n.ts";
import type { ActiveRun, RunEnd } from "../trainer/types.ts";
import { styled } from "./line.ts";
import type { ProgramOptions } from "./programOptions.ts";
import { Screen } from "./screen.ts";

/**
 * Shows a run until it ends. The first interrupt stops and saves it, the second ends it now, a third one is the system's.
 * @throws AppError as the run does
 */
export async function followRun(
  options: ProgramOptions,
  start: (watch: Watcher) => ActiveRun,
): Promise<RunEnd> {
  const { invocation, interrupts } = options;
  const screen = new Screen({ terminal: options.out, clock: options.clock, invocation });
  const run = start(screen.watch);
  let isStopping = false;
  const release = interrupts(() => {
    if (isStopping) {
      screen.print([[styled("warning", l10n.t("ending now"))]]);
      release();
      run.stopNow();
      return;
    }
    isStopping = true;
    const notice = l10n.t("stopping: the last completed step is saved; Ctrl+C again ends at once");
    screen.print([[styled("warning", notice)]]);
    run.stopAndSave();
  });
  try {
    const end = await run.ended;
    screen.close();
    screen.printEnd(end);
    return end;
  } catch (error) {
    screen.close();
    screen.printNextSteps();
    throw error;
  } finally {
    release();
  }
}
