/** Code lenses above an environment's Python class. */

import { dirname, resolve } from "node:path";
import * as vscode from "vscode";
import { pythonEnvironments } from "../../core/scaffold/pythonEnvironments.ts";
import { isWithin } from "../../node/confinement.ts";
import { type CommandId, commandName } from "../manifest/commandTable.ts";
import type { WorkspaceEnvironment, WorkspaceEnvironments } from "./workspaceEnvironments.ts";

export function environmentLenses({
  named,
  onDidChange,
}: Pick<WorkspaceEnvironments, "named" | "onDidChange">): vscode.CodeLensProvider {
  return {
    onDidChangeCodeLenses: onDidChange,
    provideCodeLenses: async (document) => {
      const found = pythonEnvironments(document.getText());
      if (found.length === 0) return [];
      const file = document.uri.fsPath;
      const own = (await named()).filter((each) => startsFile(each, file));
      return found.flatMap(({ name, line }) => {
        const range = new vscode.Range(line, 0, line, 0);
        const lens = (title: string, id: CommandId, argument: unknown): vscode.CodeLens => {
          const words = [argument];
          return new vscode.CodeLens(range, { title, command: commandName(id), arguments: words });
        };
        // If the file contains only one environment, the server starts that one, whatever name the configuration uses.
        const only = found.length === 1 ? own[0] : undefined;
        const configured = own.find((each) => each.name === name) ?? only;
        if (configured === undefined) {
          const title = vscode.l10n.t("Add to Configuration…");
          return [lens(title, "addOwnEnvironment", { name, file })];
        }
        return [
          lens(vscode.l10n.t("Play"), "playEnvironment", configured),
          lens(vscode.l10n.t("Check"), "checkEnvironment", configured),
          lens(vscode.l10n.t("Train"), "startTraining", vscode.Uri.file(configured.config)),
        ];
      });
    },
  };
}

/** Whether the server's command names the file, in the configuration's folder or below it. */
function startsFile({ server, config }: WorkspaceEnvironment, file: string): boolean {
  const folder = dirname(config);
  const programs = (server ?? "").split(" ").filter((word) => word.endsWith(".py"));
  return programs.some((program) => {
    if (resolve(folder, program) === file) return true;
    const end = slashed(program).replace(/^\.\//, "");
    return isWithin(file, folder) && slashed(file).endsWith(`/${end}`);
  });
}

const slashed = (path: string): string => path.replaceAll("\\", "/");
