/** The command `estimate`: predicts the tokens, cost and time of a training, from a past run or from groups played for it. */

import { resolve } from "node:path";
import * as l10n from "@vscode/l10n";
import { AppError } from "../core/errors.ts";
import { describeEstimate } from "../core/outputs/estimateOutput.ts";
import { DRY_RUN_GROUPS } from "../shared/dryRun.ts";
import { plural } from "../shared/format.ts";
import type { EstimateRequest, RunEnd } from "../trainer/plan/types.ts";
import type { EstimateCommand } from "./arguments/planningArguments.ts";
import type { ProgramOptions, TrainerProgram } from "./arguments/programOptions.ts";
import { estimateLines } from "./estimateLines.ts";
import { jsonLine } from "./terminal/asciiJson.ts";
import { BLANK, type Line } from "./terminal/line.ts";
import { askYesNo, isPerson } from "./terminal/question.ts";
import { followRun } from "./train.ts";

/** @throws AppError `bad-arguments` if groups would cost money and no one agreed to it, or an error from the trainer */
export async function estimate(
  options: TrainerProgram,
  { kind: _, groups, from: given, isConfirmed, wantsJson, ...request }: EstimateCommand,
): Promise<RunEnd> {
  const { pastRun, model, isBilled } = await options.trainer.estimateBasis(
    options.fileSystem,
    request,
  );
  const from = given === null ? null : resolve(options.invocation.cwd, given);
  const past = groups === null ? (from ?? pastRun) : null;
  if (past === null && isBilled && !isConfirmed) await requireConsent(options, model, groups);
  return followEstimate(options, { ...request, owner: "terminal", from, groups }, wantsJson);
}

/** Resolves when the estimate is printed. @throws AppError from the estimate */
export async function followEstimate(
  options: TrainerProgram,
  request: Omit<EstimateRequest, "watch" | "onEstimate">,
  wantsJson: boolean,
): Promise<RunEnd> {
  const { trainer, out, err, invocation } = options;
  const lines: Line[] = [];
  try {
    return await followRun(
      { ...options, out: wantsJson ? err : out },
      (watch) =>
        trainer.startEstimate({
          ...request,
          watch,
          onEstimate: (report) => {
            const shown = [BLANK, ...estimateLines(report, invocation, out.columns)];
            lines.push(...(wantsJson ? [jsonLine(describeEstimate(report))] : shown));
          },
        }),
      l10n.t("stopping: nothing was trained; press Ctrl+C again to end immediately"),
    );
  } finally {
    out.print(lines);
  }
}

async function requireConsent(
  { input, err }: ProgramOptions,
  model: string,
  wanted: number | null,
): Promise<void> {
  if (isPerson(input)) {
    if (wanted === null)
      err.print([[l10n.t("There is no past run with these environments and this model.")]]);
    const what = plural(
      wanted ?? DRY_RUN_GROUPS,
      "This samples {0} group in each environment with {1}. The service bills it; no weights are changed.",
      "This samples {0} groups in each environment with {1}. The service bills them; no weights are changed.",
      model,
    );
    err.print([[what]]);
    const place = { input, output: process.stderr };
    if (await askYesNo(place, l10n.t("Continue? [y/N]"), "no")) return;
  }
  throw new AppError(
    "bad-arguments",
    `estimate samples a few groups with ${model}, which the service bills. Add --yes to agree, or --from RUN_FOLDER to use a past run.`,
  );
}
