/** Asks for overrides of a configuration, for one run. */

import * as vscode from "vscode";
import { parseAssignment } from "../../core/config/overrides.ts";
import { splitWords } from "../../core/config/overrideWords.ts";
import { parseConfig } from "../../core/config/parse.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { settingOverrides } from "../vscode/settings.ts";

/** Undefined if the user canceled. */
export async function askOverrides(
  config: vscode.Uri,
): Promise<Readonly<Record<string, string>> | undefined> {
  const text = (await vscode.workspace.openTextDocument(config)).getText();
  const answer = await plainWindow.showInputBox({
    title: vscode.l10n.t("Start Training with Overrides"),
    prompt: vscode.l10n.t(
      "Settings that override the file, as key=value separated by spaces: learning_rate=5e-4 max_steps=20",
    ),
    placeHolder: "learning_rate=5e-4 max_steps=20",
    ignoreFocusOut: true,
    validateInput: (value) => {
      const words = splitWords(value);
      const odd = words.find((word) => !word.includes("="));
      if (odd !== undefined) return vscode.l10n.t("{0} is not key=value.", odd);
      return fault(text, config.path, [...settingOverrides(config), ...words]);
    },
  });
  return answer === undefined ? undefined : asObject(splitWords(answer));
}

function fault(text: string, path: string, overrides: readonly string[]): string | undefined {
  const result = parseConfig(text, { path, overrides });
  const problem = result.ok ? undefined : result.problems.find((each) => each.severity === "error");
  return problem?.message;
}

/** In the form for task definitions: each value's text is parsed as YAML when the run starts. */
export function asObject(overrides: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    overrides.flatMap((text) => {
      const { prefix, value } = parseAssignment(text) ?? {};
      return prefix === undefined ? [] : [[prefix.slice(0, -1), value ?? ""] as const];
    }),
  );
}
