/** The command `env check`: whether environments are fit to train on. */

import * as l10n from "@vscode/l10n";
import { findingsOf } from "../../core/environmentCheck/checkEnvironment.ts";
import { AppError } from "../../core/errors.ts";
import { describeEnvironmentChecks } from "../../core/outputs/environmentCheckOutput.ts";
import { EXIT } from "../../shared/exitCodes.ts";
import type { EnvCheckCommand } from "../arguments/envCheckArguments.ts";
import type { ProgramOptions } from "../arguments/programOptions.ts";
import { jsonLine } from "../terminal/asciiJson.ts";
import { styled } from "../terminal/line.ts";
import { environmentReportLines } from "./checkLines.ts";

/** Resolves with the exit code. @throws AppError as the trainer does, `stopped` at Ctrl+C */
export async function checkEnvironments(
  options: Pick<
    ProgramOptions,
    "fileSystem" | "trainer" | "out" | "err" | "interrupts" | "invocation"
  >,
  { kind: _, wantsJson, ...wanted }: EnvCheckCommand,
): Promise<number> {
  const { fileSystem, trainer, out, err, interrupts, invocation } = options;
  const stopping = new AbortController();
  const release = interrupts(() =>
    stopping.abort(new AppError("stopped", "The check was stopped.")),
  );
  try {
    const reports = await trainer.checkEnvironments(fileSystem, {
      ...wanted,
      folder: invocation.cwd,
      signal: stopping.signal,
      onCheck: (environment, rule, { position, count }) =>
        err.showLive([
          styled(
            "quiet",
            l10n.t("{0}: check {1} of {2}: {3}", environment, position + 1, count, rule),
          ),
        ]),
      onReport: (report) => {
        err.showLive(null);
        if (!wantsJson) out.print(environmentReportLines(report, out.columns));
      },
    });
    if (wantsJson) out.print([jsonLine(describeEnvironmentChecks(reports))]);
    const all = reports.flatMap(findingsOf);
    return all.some(({ severity }) => severity === "defect") ? EXIT.invalid : EXIT.done;
  } finally {
    release();
    err.showLive(null);
  }
}
