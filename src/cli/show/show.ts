/** The command `show`: selects the view for the given flags. */

import { isAppError } from "../../core/errors.ts";
import type { FolderFiles } from "../../core/ports.ts";
import { readRunFile } from "../../core/runFolder/runFile.ts";
import { visibleLine } from "../../core/util/visibleText.ts";
import { argumentError } from "../arguments/flags.ts";
import type { ProgramOptions } from "../arguments/programOptions.ts";
import { requireRun } from "../arguments/requireRun.ts";
import type { ShowCommand } from "../arguments/resultsArguments.ts";
import { jsonLine } from "../terminal/asciiJson.ts";
import type { Line } from "../terminal/line.ts";
import { billedLines } from "./billedLines.ts";
import { type ShowContext, showContext } from "./showContext.ts";
import { showEvaluationRollouts, showEvaluations } from "./showEvaluation.ts";
import { showJson } from "./showJson.ts";
import { showOverview } from "./showOverview.ts";
import { showGroup, showStep } from "./showStep.ts";
import { showTasks } from "./showTasks.ts";

/**
 * The lines of a view of a run folder, which may be growing.
 * @throws AppError `bad-arguments`, `run-not-found`, `no-such-number`, `file-unreadable`; with `--billed` `no-bill`, `key-*`, `tinker-*`
 */
export async function* showRun(
  options: ProgramOptions,
  command: ShowCommand,
): AsyncGenerator<Line, void> {
  const folder = command.folder.replace(/(?<=.)[/\\]+$/, "");
  await requireRun(options.fileSystem, folder);
  const fileSystem = options.fileSystem.within(folder);
  if (command.wantsBilled) {
    const { allowedOrigins } = command;
    const onNotice = (message: string): void => options.err.print([[visibleLine(message)]]);
    const request = { runFolder: folder, allowedOrigins, folder: options.invocation.cwd, onNotice };
    const trainer = await options.loadTrainer();
    yield* billedLines(await trainer.billedRun(fileSystem, request));
    return;
  }
  const context = showContext(options, folder);
  const wantsEvaluation = command.wantsEvaluation || (await isEvaluation(fileSystem, folder));
  const wanted = { ...command, wantsEvaluation };
  requireNumbers(wanted, options.invocation);
  if (command.wantsJson) yield jsonLine(await showJson(context, options, wanted));
  else yield* viewOf(context, wanted);
}

/** Which numbers a rollout needs depends on the folder. @throws AppError `bad-arguments` */
function requireNumbers(
  { group, rollout, wantsEvaluation }: ShowCommand,
  invocation: ProgramOptions["invocation"],
): void {
  const call = { command: "show", invocation } as const;
  if (wantsEvaluation && group !== null) {
    const problem = "--group cannot be used with --eval, which counts rollouts over all tasks";
    throw argumentError(problem, call);
  }
  if (!wantsEvaluation && rollout !== null && group === null) {
    throw argumentError("--rollout needs --group", call);
  }
}

function viewOf(context: ShowContext, command: ShowCommand): AsyncGenerator<Line, void> {
  const { step, group, rollout, wantsEvaluation, wantsTasks, wantsTokens } = command;
  if (wantsTasks) return showTasks(context);
  if (wantsEvaluation) {
    return step === null
      ? showEvaluations(context)
      : showEvaluationRollouts(context, { step, rollout, wantsTokens });
  }
  if (step === null) return showOverview(context);
  if (group === null) return showStep(context, step);
  return showGroup(context, { step, group, rollout, wantsTokens });
}

/** True for a standalone evaluation, which has nothing else to show. */
async function isEvaluation(files: FolderFiles, folder: string): Promise<boolean> {
  try {
    return (await readRunFile(files, folder))?.evaluation !== undefined;
  } catch (error) {
    // The other files can still be shown.
    if (isAppError(error)) return false;
    throw error;
  }
}
