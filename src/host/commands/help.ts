/** Handlers of the help commands. */

import * as vscode from "vscode";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { reportIssue } from "./reportIssue.ts";

const EXTENSION_ID = "tinker-rl.tinker-rl";

export function helpHandlers({
  context,
  log,
}: {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
}) {
  return {
    openSettings: () =>
      vscode.commands.executeCommand("workbench.action.openSettings", `@ext:${EXTENSION_ID}`),
    openWalkthrough: () =>
      vscode.commands.executeCommand(
        "workbench.action.openWalkthrough",
        `${EXTENSION_ID}#tinkerRL.start`,
      ),
    reportIssue: () => reportIssue(context),
    showLog: () => log.show(),
  } satisfies Partial<CommandHandlers>;
}
