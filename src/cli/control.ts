/** The command `control`: sends a command from another terminal to a running training. */

import { resolve } from "node:path";
import { AppError } from "../core/errors.ts";
import { describeStatus } from "../core/outputs/statusOutput.ts";
import { isRunInUse, phaseOf, requireRunFile } from "../core/runFolder/runFile.ts";
import { ControlClient } from "../node/control/client.ts";
import { plural } from "../shared/format.ts";
import { phaseTexts } from "../shared/phaseTexts.ts";
import type { ProgramOptions } from "./arguments/programOptions.ts";
import type { RunControlCommand } from "./arguments/trainingArguments.ts";
import { jsonLine } from "./terminal/asciiJson.ts";
import { commandLine, shortPath } from "./terminal/invocation.ts";
import { type Line, styled } from "./terminal/line.ts";

export type ControlOptions = Pick<
  ProgramOptions,
  "fileSystem" | "clock" | "invocation" | "isProcessAlive"
>;

/** Sends the command and prints the trainer's answer. @throws AppError `run-not-found`, `run-not-running`, or the trainer's refusal */
export async function controlRun(
  options: ControlOptions,
  { folder: given, command, wantsJson }: RunControlCommand,
): Promise<readonly Line[]> {
  const { fileSystem, clock, invocation, isProcessAlive } = options;
  const folder = resolve(invocation.cwd, given);
  const shown = shortPath(folder, invocation.cwd);
  const file = await requireRunFile(fileSystem.within(folder), folder);
  const liveness = { nowMs: clock.now(), isProcessAlive };
  if (!isRunInUse(file, liveness) || file.control === null) {
    const resume = commandLine(invocation, "resume", shown);
    throw new AppError(
      "run-not-running",
      `${shown} is not being trained now (${phaseOf(file, liveness)}). To resume it: ${resume}`,
    );
  }
  const { message, status } = await ControlClient.sendOnce(file.control, command);
  if (wantsJson) return [jsonLine(describeStatus(folder, status))];
  if (message !== "") return message.split("\n").map((line): Line => [line]);
  const { phase, step, totalSteps } = status;
  const progress =
    totalSteps === null
      ? plural(step, "{0} step completed", "{0} steps completed")
      : plural(step, "{0} of {1} steps completed", "{0} of {1} steps completed", totalSteps);
  return [[styled("strong", phaseTexts()[phase]), `  ${progress}`]];
}
