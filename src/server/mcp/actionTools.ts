/** The tools that change something, each offered only when the user has allowed it by name. */

import * as z from "zod";
import { AppError } from "../../core/errors.ts";
import type { ControlCommand } from "../../shared/control.ts";
import { MAX_TEXT, run } from "../tools/toolInputs.ts";
import { type McpTool, mcpTool } from "./mcpTool.ts";
import type { Allowed } from "./permission.ts";
import { type Starter, startEvaluation, startTraining } from "./starting.ts";
import { controlRun, requireSteerable } from "./steering.ts";

const settings = z
  .array(z.string().max(MAX_TEXT))
  .max(50)
  .describe("KEY=VALUE each, such as learning_rate=1e-4; numbers, true or false, and words only");
const config = z
  .string()
  .max(MAX_TEXT)
  .describe("configuration: its path from the workspace folder");

/** Only the tools that `permission` allows. */
export function actionTools(starter: Starter): readonly McpTool[] {
  const { allowed } = starter.permission;
  return Object.entries(TOOLS).flatMap(
    ([name, make]) => (allowed.has(name as Allowed) ? make(starter) : []), // the keys are names of what can be allowed
  );
}

const TOOLS: Readonly<Record<Exclude<Allowed, "commands">, (starter: Starter) => McpTool[]>> = {
  start: (starter) => [
    mcpTool({
      name: "startTraining",
      title: "Start a Run",
      forModel:
        "Starts a run in its own process, which continues when this server ends. It is refused when its estimate does not fit into what the user lets this server spend, or when a hosted run cannot be estimated; the run ends at its own limit, which is returned. Validate and estimate first, and ask the user before you start.",
      input: z.object({ config, settings: settings.optional() }),
      isReadOnly: false,
      call: (input) => startTraining(starter, input),
    }),
  ],
  evaluate: (starter) => [
    mcpTool({
      name: "evaluateModels",
      title: "Evaluate Models",
      forModel:
        "Starts an evaluation of the base model, checkpoints or runs on the splits of a configuration's evaluation, in its own process. It counts against what the user lets this server spend. Its results are in readMetrics.",
      input: z.object({
        config,
        models: z
          .array(z.string().max(MAX_TEXT))
          .min(1)
          .max(8)
          .describe("base, tinker:// addresses, or runs as listRuns names them"),
        settings: settings.optional(),
      }),
      isReadOnly: false,
      call: (input) => startEvaluation(starter, input),
    }),
  ],
  stop: (starter) => [
    control(starter, "stop", {
      name: "stopRun",
      title: "Stop and Save a Run",
      forModel:
        "Gives up the step in progress of a run that is being trained, saves the last completed one, and ends it. The user can resume it.",
    }),
  ],
  pause: (starter) => [
    control(starter, "pause", {
      name: "pauseRun",
      title: "Pause a Run",
      forModel: "Pauses a run after the step in progress.",
    }),
    control(starter, "continue", {
      name: "continueRun",
      title: "Continue a Run",
      forModel: "Continues a paused run.",
    }),
  ],
  settings: (starter) => [
    mcpTool({
      name: "changeSettings",
      title: "Change Settings of a Run",
      forModel:
        "Changes settings of a run that is being trained from its next step on. configReference says which ones can change during a run. Budgets and prices cannot be changed here.",
      input: z.object({ run, settings: settings.min(1) }),
      isReadOnly: false,
      call: async ({ run: name, settings: texts }) => {
        const { tools, workspace } = starter;
        const found = await tools.find(name);
        await requireSteerable(workspace, found, texts);
        return controlRun(workspace, found, { action: "change-settings", settings: texts });
      },
    }),
  ],
};

function control(
  { tools, workspace }: Starter,
  action: Extract<ControlCommand["action"], "stop" | "pause" | "continue">,
  texts: Pick<McpTool, "name" | "title" | "forModel">,
): McpTool {
  return mcpTool({
    ...texts,
    input: z.object({ run }),
    isReadOnly: false,
    call: async ({ run: name }) => controlRun(workspace, await tools.find(name), { action }),
  });
}

/** The error for an action that is not allowed, and for an unknown tool. */
export function noSuchTool(name: string): AppError {
  return new AppError(
    "not-allowed",
    `There is no tool ${name}, or the user has not allowed it. Tools that change something must be named in --allow when this server is started.`,
  );
}
