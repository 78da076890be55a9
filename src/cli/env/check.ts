/** The command `env check`: whether environments are fit to train on. */

import { dirname, resolve } from "node:path";
import * as l10n from "@vscode/l10n";
import {
  type EnvironmentReport,
  findingsOf,
} from "../../core/environmentCheck/checkEnvironment.ts";
import { AppError } from "../../core/errors.ts";
import { describeEnvironmentChecks } from "../../core/outputs/environmentCheckOutput.ts";
import { modelSignal } from "../../core/play/modelSignal.ts";
import { DEFAULT_CONFIG } from "../../shared/configNames.ts";
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
  { kind: _, wantsJson, output, signal: wantedSignal, ...wanted }: EnvCheckCommand,
): Promise<number> {
  const { fileSystem, trainer, out, err, interrupts, invocation } = options;
  const stopping = new AbortController();
  const release = interrupts(() =>
    stopping.abort(new AppError("stopped", "The check was stopped.")),
  );
  try {
    const show = (report: EnvironmentReport): void => {
      err.showLive(null);
      if (!wantsJson) out.print(environmentReportLines(report, out.columns));
    };
    const checked = await trainer.checkEnvironments(fileSystem, {
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
      onReport: wantedSignal === null ? show : () => undefined,
    });
    const reports: EnvironmentReport[] = [];
    // What the other checks found took its time, and is said before the model's failure.
    let failure: unknown = null;
    for (const report of checked) {
      if (wantedSignal === null) {
        reports.push(report);
        continue;
      }
      const request = { ...wanted, ...wantedSignal };
      const measuring = measureSignal(options, report, request, stopping.signal);
      const measured = await measuring.catch((error: unknown) => {
        if (stopping.signal.aborted) throw error;
        failure ??= error;
        return report;
      });
      reports.push(measured);
      show(measured);
    }
    const described = describeEnvironmentChecks(reports);
    if (output !== null) {
      const bytes = new TextEncoder().encode(`${JSON.stringify(described)}\n`);
      const path = resolve(invocation.cwd, output);
      await fileSystem.makeDirectory(dirname(path));
      await fileSystem.writeAtomic(path, bytes);
    }
    if (wantsJson) out.print([jsonLine(described)]);
    if (failure !== null) throw failure;
    const all = reports.flatMap(findingsOf);
    return all.some(({ severity }) => severity === "defect") ? EXIT.invalid : EXIT.done;
  } finally {
    release();
    err.showLive(null);
  }
}

type SignalRequest = Omit<EnvCheckCommand, "kind" | "output" | "signal" | "wantsJson"> &
  NonNullable<EnvCheckCommand["signal"]>;

/** Rollouts at once; a hosted model answers many as fast as one. */
const AT_ONCE = 16;

/** The report with one more check: whether the rollouts of a model differ in their rewards. */
async function measureSignal(
  { fileSystem, trainer, err, invocation }: Parameters<typeof checkEnvironments>[0],
  report: EnvironmentReport,
  { model, groups, groupSize, configPath, overrides, split, url, allowedOrigins }: SignalRequest,
  signal: AbortSignal,
): Promise<EnvironmentReport> {
  const { environment } = report;
  const count = groups * groupSize;
  let played = 0;
  const address = url === null ? [] : [`openreward_base_url=${url}`];
  const result = await trainer.playTask(fileSystem, {
    configPath: configPath ?? resolve(invocation.cwd, DEFAULT_CONFIG),
    overrides: [...overrides, ...address],
    allowedOrigins,
    environment,
    split,
    task: 0,
    tasks: groups,
    rollouts: groupSize,
    atOnce: AT_ONCE,
    player: { kind: "model", target: model },
    isStored: false,
    signal,
    onPart: () => undefined,
    onTask: () => undefined,
    onDifficulty: () => undefined,
    onRead: () => undefined,
    onWritten: () => undefined,
    onResult: () => undefined,
    onPlayed: () => {
      played += 1;
      const what = l10n.t("{0}: {1} of {2} rollouts of {3}", environment, played, count, model);
      err.showLive([styled("quiet", what)]);
    },
  });
  return { ...report, checks: [...report.checks, modelSignal(result.played, model)] };
}
