/** Which environment and split of a configuration a command is about. */

import * as vscode from "vscode";
import * as z from "zod";
import { environmentServer } from "../../core/config/fields/environmentServers.ts";
import { type SplitChoice, taskChoices } from "../../core/config/taskChoices.ts";
import { offerInstead, showEnvironments } from "../vscode/offerInstead.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { parsedConfig } from "./chooseValidConfig.ts";

export interface TaskChoiceOptions {
  /** The requested environment, if the configuration has it; null = any. */
  readonly environment?: string | null;
  /** False = ask even if there is only one choice. */
  readonly takesOnly?: boolean;
}

export interface ChosenTasks extends SplitChoice {
  /** True for an environment on the server that hosts OpenReward environments by default. */
  readonly isShared: boolean;
}

/** The environment and split that the user picks; a single choice is taken without asking. */
export async function chooseTasks(
  config: vscode.Uri,
  question: string,
  { environment = null, takesOnly = true }: TaskChoiceOptions = {},
): Promise<ChosenTasks | undefined> {
  const { result } = await parsedConfig(config);
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join(" "));
  const all = taskChoices(result.config).map((choice): ChosenTasks => {
    const server = environmentServer(result.config, choice.environment);
    return { ...choice, isShared: server.kind === "shared" };
  });
  const own = all.filter((choice) => choice.environment === environment);
  const choices = own.length > 0 ? own : all;
  if (choices.length === 1 && takesOnly) return choices[0];
  const items = choices.map((choice) => {
    return { label: choice.environment, description: choice.split, ...choice };
  });
  const picked = await plainWindow.showQuickPick(items, {
    placeHolder: question,
    matchOnDescription: true,
  });
  if (picked === undefined) return undefined;
  const { environment: name, split, isShared } = picked;
  return { environment: name, split, isShared };
}

/** A task row in the Environments view: its configuration's path, and its index in the split, from 0. */
const taskRow = z.object({
  name: z.string(),
  config: z.string(),
  split: z.string(),
  task: z.number(),
});

/** Undefined, after a message, if the target is not a task row. */
export async function chosenTask(target: unknown): Promise<z.infer<typeof taskRow> | undefined> {
  const row = taskRow.safeParse(target).data;
  const text = vscode.l10n.t("Select a task in the Environments view first.");
  if (row === undefined) await offerInstead(text, [showEnvironments()]);
  return row;
}
