/** The command `evaluate`: evaluates models side by side and prints the results. */

import * as l10n from "@vscode/l10n";
import { describeEvaluations } from "../core/outputs/evaluationsOutput.ts";
import { readEvaluations } from "../core/runFolder/evaluationLog.ts";
import { laterUsage } from "../core/runs/laterUsage.ts";
import type { EvaluateRequest, RunEnd } from "../trainer/plan/types.ts";
import type { TrainerProgram } from "./arguments/programOptions.ts";
import { jsonLine } from "./terminal/asciiJson.ts";
import { nextStepLines, usedLines } from "./terminal/endLines.ts";
import { evaluationTable } from "./terminal/evaluationTable.ts";
import { BLANK } from "./terminal/line.ts";
import { followRun } from "./train.ts";

/** Resolves when the evaluation has ended and its results are printed. @throws AppError from the evaluation */
export async function followEvaluation(
  options: TrainerProgram,
  request: Omit<EvaluateRequest, "watch">,
  wantsJson: boolean,
): Promise<RunEnd> {
  const { trainer, fileSystem, out, err, invocation } = options;
  const progress = wantsJson ? err : out;
  const end = await followRun(
    { ...options, out: progress },
    (watch) => trainer.startEvaluation({ ...request, watch }),
    l10n.t("stopping: finished rollouts are kept; press Ctrl+C again to end immediately"),
  );
  const { folder } = end;
  if (folder !== null) {
    const files = fileSystem.within(folder);
    if (wantsJson) out.print([jsonLine(await describeEvaluations(files, folder))]);
    else if (end.outcome === "done") {
      const results = await readEvaluations(files, folder);
      const used = await laterUsage(files, folder, 0);
      out.print([BLANK, ...evaluationTable(results, out.columns), ...usedLines(used)]);
    }
    progress.print([BLANK, ...nextStepLines(folder, false, invocation)]);
  }
  return end;
}
