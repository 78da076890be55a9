/** The JSON output of `show`, for programs. */

import { basename, resolve } from "node:path";
import { describeEvaluations } from "../../core/outputs/evaluationsOutput.ts";
import { describeRollouts, describeTrajectories } from "../../core/outputs/rolloutsOutput.ts";
import { describeRun } from "../../core/outputs/runOutput.ts";
import { rolloutsInOrder } from "../../core/runFolder/reader.ts";
import { readRun } from "../../core/runs/runList.ts";
import type { ProgramOptions } from "../arguments/programOptions.ts";
import type { ShowCommand } from "../arguments/resultsArguments.ts";
import { livenessIn, type ShowContext } from "./showContext.ts";
import { requireEvaluated } from "./showEvaluation.ts";
import { chooseRollouts, requireStep } from "./showStep.ts";

/** `fileSystem` is not confined to the run folder. @throws AppError `no-such-number`, `file-unreadable` */
export async function showJson(
  context: ShowContext,
  { fileSystem }: ProgramOptions,
  { step, group, rollout, wantsEvaluation, wantsTokens }: ShowCommand,
): Promise<unknown> {
  const { reader, folder, fileSystem: files, invocation } = context;
  // The program that reads the output may have another working directory.
  const absolute = { folder: resolve(invocation.cwd, folder) };
  if (step === null) {
    if (wantsEvaluation) return { ...(await describeEvaluations(files, folder)), ...absolute };
    const liveness = livenessIn(context);
    const named = { name: basename(absolute.folder), folder };
    const run = await readRun(fileSystem, named, liveness);
    const described = await describeRun(files, {
      folder,
      nowMs: liveness.nowMs,
      run: run === null ? null : { ...run, ...absolute },
    });
    return { ...described, ...absolute };
  }
  if (wantsEvaluation) {
    const at = { source: "evaluation", step } as const;
    const all = rolloutsInOrder((await reader.rolloutList(step, "evaluation")).rollouts);
    const summaries = await requireEvaluated(context, { step, rollout, all });
    return rollout === null
      ? await describeRollouts(reader, at)
      : await describeTrajectories(reader, at, { summaries, wantsTokens });
  }
  const at = { source: "training", step } as const;
  const { rollouts } = await requireStep(context, step);
  if (group === null) return await describeRollouts(reader, at);
  const summaries = chooseRollouts(rollouts, { step, group, rollout });
  return await describeTrajectories(reader, at, { summaries, wantsTokens });
}
