/** The command `env check`: checks whether environments are fit for training. */

import { dirname, resolve } from "node:path";
import * as l10n from "@vscode/l10n";
import {
  type EnvironmentReport,
  findingsOf,
} from "../../core/environmentCheck/checkEnvironment.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { describeEnvironmentChecks } from "../../core/outputs/environmentCheckOutput.ts";
import { agentCheck, agentNotStarted } from "../../core/play/agentCheck.ts";
import { modelSignal } from "../../core/play/modelSignal.ts";
import { DEFAULT_CONFIG } from "../../shared/configNames.ts";
import { EXIT } from "../../shared/exitCodes.ts";
import type { CheckedEnvironment } from "../../trainer/environments/checkEnvironments.ts";
import type { PlayRequest, PlayResult } from "../../trainer/play/playTask.ts";
import type { EnvCheckCommand } from "../arguments/envArguments.ts";
import type { TrainerProgram } from "../arguments/programOptions.ts";
import { jsonLine } from "../terminal/asciiJson.ts";
import { untilInterrupt } from "../terminal/interrupts.ts";
import { quietLine } from "../terminal/line.ts";
import { environmentReportLines } from "./checkLines.ts";
import { requireDefaultConfig } from "./play.ts";

/** Resolves with the exit code. @throws AppError from the trainer, `interrupted` on Ctrl+C */
export async function checkEnvironments(
  options: TrainerProgram,
  { kind: _, wantsJson, output, signal: wantedSignal, ...wanted }: EnvCheckCommand,
): Promise<number> {
  const { fileSystem, trainer, out, err, invocation } = options;
  let { configPath } = wanted;
  // A model needs a configuration to play.
  if (wantedSignal !== null && configPath === null) {
    await requireDefaultConfig(options, "env check --model");
    configPath = DEFAULT_CONFIG;
  }
  const stopped = new AppError("interrupted", "The check was stopped.");
  const check = async (signal: AbortSignal): Promise<number> => {
    const show = (report: CheckedEnvironment): void => {
      err.showLive(null);
      if (wantsJson) return;
      out.print(environmentReportLines(report, out.columns));
      if (report.printed === undefined || !hasDefect(report)) return;
      const said = l10n.t("Its server printed: {0}", report.printed);
      out.print([quietLine(said)]);
    };
    const checked = await trainer.checkEnvironments(fileSystem, {
      ...wanted,
      configPath,
      folder: invocation.cwd,
      signal,
      onCheck: (environment, rule, { position, count }) =>
        err.showLive(
          quietLine(l10n.t("{0}: check {1} of {2}: {3}", environment, position + 1, count, rule)),
        ),
      onReport: (report) => {
        if (wantedSignal === null && !report.hasAgent) show(report);
      },
    });
    const reports: CheckedEnvironment[] = [];
    // Report the other findings before throwing the model's failure, because they took time.
    let failure: unknown = null;
    for (const report of checked) {
      if (wantedSignal === null && !report.hasAgent) {
        reports.push(report);
        continue;
      }
      const more = moreChecks(options, report, { ...wanted, signal: wantedSignal }, signal);
      const complete = await more.catch((error: unknown) => {
        if (signal.aborted) throw error;
        failure ??= error;
        return report;
      });
      reports.push(complete);
      show(complete);
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
    return reports.some(hasDefect) ? EXIT.invalid : EXIT.done;
  };
  return untilInterrupt(options, check, stopped);
}

function hasDefect(report: EnvironmentReport): boolean {
  return findingsOf(report).some(({ severity }) => severity === "defect");
}

type PlayedRequest = Omit<EnvCheckCommand, "kind" | "output" | "wantsJson">;

/** Number of rollouts in parallel; hosted models answer many as fast as one. */
const AT_ONCE = 16;
/** Time limit for an agent's task, in seconds. */
const AGENT_LIMIT = 120;

/** Adds the checks that play tasks: with the configuration's agent, and with a model. */
async function moreChecks(
  options: TrainerProgram,
  report: CheckedEnvironment,
  request: PlayedRequest,
  signal: AbortSignal,
): Promise<CheckedEnvironment> {
  const { err } = options;
  const { environment } = report;
  const checks = [...report.checks];
  if (report.hasAgent) {
    err.showLive(quietLine(l10n.t("{0}: its agent plays a task", environment)));
    const played = await play(options, environment, request, {
      overrides: [`rollout_timeout=${AGENT_LIMIT}`, "max_rollout_retries=0"],
      player: { kind: "random", seed: request.seed },
      byAgent: true,
      tasks: 1,
      rollouts: 1,
      signal,
    }).catch((error: unknown) => {
      if (isAppError(error, "agent-not-started")) return error;
      throw error;
    });
    if (isAppError(played)) return { ...report, checks: [...checks, agentNotStarted(played)] };
    const [own] = played.played;
    if (own !== undefined) checks.push(agentCheck(own));
  }
  if (request.signal !== null) {
    const { model, groups, groupSize } = request.signal;
    const count = groups * groupSize;
    let done = 0;
    const { played } = await play(options, environment, request, {
      overrides: [],
      player: { kind: "model", target: model },
      byAgent: report.hasAgent,
      tasks: groups,
      rollouts: groupSize,
      signal,
      onPlayed: () => {
        done += 1;
        const what = l10n.t("{0}: {1} of {2} rollouts of {3}", environment, done, count, model);
        err.showLive(quietLine(what));
      },
    });
    checks.push(modelSignal(played, model));
  }
  return { ...report, checks };
}

/** Plays without showing or storing anything. */
function play(
  { fileSystem, trainer, invocation }: TrainerProgram,
  environment: string,
  { configPath, overrides, split, allowedOrigins }: PlayedRequest,
  how: Pick<
    PlayRequest,
    "overrides" | "player" | "byAgent" | "tasks" | "rollouts" | "signal" | "onPlayed"
  >,
): Promise<PlayResult> {
  return trainer.playTask(fileSystem, {
    ...how,
    configPath: configPath ?? resolve(invocation.cwd, DEFAULT_CONFIG),
    overrides: [...overrides, ...how.overrides],
    allowedOrigins,
    environment,
    split,
    task: 0,
    atOnce: AT_ONCE,
    isStored: false,
    onPart: () => undefined,
  });
}
