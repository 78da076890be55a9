/** Commands of an assistant to a live run, and which of its settings it may change. */

import * as z from "zod";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { applyOverrides } from "../../core/config/overrides.ts";
import { AppError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { readResolvedConfig } from "../../core/runFolder/files/wholeFiles.ts";
import { isRunInUse } from "../../core/runFolder/runFile.ts";
import type { ListedRun } from "../../core/runs/runList.ts";
import { ControlClient } from "../../node/control/client.ts";
import { isProcessAlive } from "../../node/processes.ts";
import type { ControlCommand } from "../../shared/control.ts";
import { requirePlainSettings } from "./judgeConfig.ts";
import type { McpWorkspace } from "./mcpWorkspace.ts";

const resolved = z.looseObject({ model_name: z.string(), max_cost_usd: z.number().nullish() });

/** Requires a budget, because without one an assistant could cause unlimited cost. @throws AppError `not-allowed` */
export async function requireSteerable(
  workspace: McpWorkspace,
  { folder }: Pick<ListedRun, "folder">,
  settings: readonly string[],
): Promise<void> {
  const stored = await readResolvedConfig(workspace.filesOf(folder), folder);
  const config = resolved.safeParse(stored).data;
  if (config === undefined) {
    throw new AppError(
      "not-allowed",
      "The settings of this run cannot be read. Ask the user to check config.resolved.json in its folder.",
    );
  }
  if (!isLocalModel(config.model_name) && config.max_cost_usd == null) {
    throw new AppError(
      "not-allowed",
      "This run has no max_cost_usd, so other settings could make it cost any amount. Ask the user to change them.",
    );
  }
  const { applied, problems } = applyOverrides(config, settings);
  const [problem] = problems;
  if (problem !== undefined) throw new AppError("bad-arguments", problem.message);
  requirePlainSettings(
    applied.map((each) => each.path),
    true,
  );
}

/** Sends a command to the run's trainer. @throws AppError `run-not-running`, or the trainer's refusal */
export async function controlRun(
  workspace: McpWorkspace,
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
