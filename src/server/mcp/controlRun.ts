/** Sends a command to a run's trainer. */

import { AppError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { isRunInUse } from "../../core/runFolder/runFile.ts";
import type { ListedRun } from "../../core/runs/runList.ts";
import { ControlClient } from "../../node/control/client.ts";
import { isProcessAlive } from "../../node/processes.ts";
import type { ControlCommand } from "../../shared/control.ts";
import type { Starter } from "./starting.ts";

/** @throws AppError `run-not-running`, or the trainer's refusal */
export async function controlRun(
  { workspace }: Pick<Starter, "workspace">,
  { folder, file, phase }: Pick<ListedRun, "folder" | "file" | "phase">,
  command: ControlCommand,
): Promise<Json> {
  const run = workspace.nameOf(folder);
  const isLive = file !== null && isRunInUse(file, { nowMs: workspace.now(), isProcessAlive });
  if (!isLive || file.control === null) {
    throw new AppError("run-not-running", `${run} is not being trained now (${phase}).`);
  }
  const { message, status } = await ControlClient.sendOnce(file.control, command);
  const { step, totalSteps } = status;
  return { run, message, phase: status.phase, completedSteps: step, totalSteps };
}
