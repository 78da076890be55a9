/** The command `evaluate`: measures models side by side, and prints what came of it. */

import { readEvaluations } from "../core/runFolder/evaluationLog.ts";
import { EXIT } from "../shared/exitCodes.ts";
import { l10n } from "../shared/l10n.ts";
import { nextStepLines } from "./endLines.ts";
import type { EvaluateCommand } from "./evaluateArguments.ts";
import { evaluationJson, evaluationTable } from "./evaluationTable.ts";
import { exitCodeOfRun } from "./exitCode.ts";
import { BLANK } from "./line.ts";
import type { ProgramOptions } from "./programOptions.ts";
import { followRun } from "./train.ts";

/** Resolves with the exit code. @throws AppError as the evaluation does */
export async function evaluateModels(
  options: ProgramOptions,
  { kind: _, wantsJson, ...request }: EvaluateCommand,
): Promise<number> {
  const { trainer, fileSystem, out, err, invocation } = options;
  const progress = wantsJson ? err : out;
  const end = await followRun(
    { ...options, out: progress },
    (watch) => trainer.startEvaluation({ ...request, owner: "terminal", watch }),
    l10n.t("stopping: finished rollouts are kept; Ctrl+C again ends at once"),
  );
  const { folder } = end;
  if (folder !== null) {
    const results = await readEvaluations(fileSystem.within(folder), folder);
    const isDone = exitCodeOfRun(end) === EXIT.done;
    if (wantsJson) out.print(evaluationJson(folder, results));
    else if (isDone) out.print([BLANK, ...evaluationTable(results, out.columns)]);
    progress.print([BLANK, ...nextStepLines(folder, false, invocation)]);
  }
  return exitCodeOfRun(end);
}
