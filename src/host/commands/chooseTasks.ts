/** Which environment and split of a configuration a command is about. */

import * as vscode from "vscode";
import { parseConfig } from "../../core/config/parse.ts";
import { type SplitChoice, taskChoices } from "../../core/config/taskChoices.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { settingOverrides } from "../vscode/settingOverrides.ts";

/** The only environment and split of the configuration, or the user's pick; only those of `environment` if it is among them. */
export async function chooseTasks(
  config: vscode.Uri,
  question: string,
  environment: string | null = null,
): Promise<SplitChoice | undefined> {
  const document = await vscode.workspace.openTextDocument(config);
  const overrides = settingOverrides(config);
  const result = parseConfig(document.getText(), { path: document.fileName, overrides });
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join(" "));
  const all = taskChoices(result.config);
  const own = all.filter((choice) => choice.environment === environment);
  const choices = own.length > 0 ? own : all;
  if (choices.length === 1) return choices[0];
  const items = choices.map((choice) => {
    return { label: choice.environment, description: choice.split, ...choice };
  });
  const picked = await plainWindow.showQuickPick(items, {
    placeHolder: question,
    matchOnDescription: true,
  });
  return picked === undefined
    ? undefined
    : { environment: picked.environment, split: picked.split };
}
