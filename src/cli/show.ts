/** The command `show`: finds the view that the flags ask for. */

import { AppError, isAppError } from "../core/errors.ts";
import type { FileSystem } from "../core/ports.ts";
import { runPaths } from "../core/runFolder/layout.ts";
import { createRunReader } from "../core/runFolder/reader.ts";
import type { ShowCommand } from "./arguments.ts";
import type { Line } from "./line.ts";
import type { ProgramOptions } from "./programOptions.ts";
import type { ShowContext } from "./showContext.ts";
import { showEvaluationRollouts, showEvaluations } from "./showEvaluation.ts";
import { showOverview } from "./showOverview.ts";
import { showGroup, showStep } from "./showStep.ts";

/**
 * The lines of a view of a run folder, which may be growing.
 * @throws AppError `run-not-found`, `no-such-number`, `file-unreadable`
 */
export async function* showRun(
  options: ProgramOptions,
  command: ShowCommand,
): AsyncGenerator<Line, void> {
  const { clock, invocation, loadTokenizer } = options;
  const folder = command.folder.replace(/(?<=.)[/\\]+$/, "");
  await requireRun(options.fileSystem, folder);
  const fileSystem = options.fileSystem.within(folder);
  const reader = createRunReader(fileSystem, folder);
  const width = options.out.columns;
  const context = { fileSystem, clock, reader, folder, width, invocation, loadTokenizer };
  yield* viewOf(context, command);
}

function viewOf(context: ShowContext, command: ShowCommand): AsyncGenerator<Line, void> {
  const { step, group, rollout, wantsEvaluation, wantsTokens } = command;
  if (wantsEvaluation) {
    return step === null
      ? showEvaluations(context)
      : showEvaluationRollouts(context, { step, rollout });
  }
  if (step === null) return showOverview(context);
  if (group === null) return showStep(context, step);
  return showGroup(context, { step, group, rollout, wantsTokens });
}

async function requireRun(fileSystem: FileSystem, folder: string): Promise<void> {
  if (await isRun(fileSystem, folder)) return;
  const runs: string[] = [];
  for (const name of await fileSystem.list(folder)) {
    if (await isRunFolder(fileSystem, `${folder}/${name}`)) runs.push(name);
  }
  throw new AppError(
    "run-not-found",
    `${folder} holds no run: neither run.json nor metrics.jsonl is there. ${
      runs.length === 0
        ? "Name the folder of a run; by default they are in .tinker-rl/runs beside the configuration"
        : `Name one of the runs in it: ${runs.join(", ")}`
    }.`,
  );
}

/** As {@link isRun}, for names that may be plain files. */
async function isRunFolder(fileSystem: FileSystem, path: string): Promise<boolean> {
  try {
    return await isRun(fileSystem, path);
  } catch (error) {
    if (isAppError(error, "file-unreadable")) return false;
    throw error;
  }
}

async function isRun(fileSystem: FileSystem, folder: string): Promise<boolean> {
  const { runFile, metrics } = runPaths(folder);
  return ((await fileSystem.size(runFile)) ?? (await fileSystem.size(metrics))) !== null;
}
