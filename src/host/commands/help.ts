/** Handlers of the commands that help. */

import * as vscode from "vscode";
import type { CommandHandlers } from "./registerCommands.ts";

const EXTENSION_ID = "tinker-rl.tinker-rl";

export function helpHandlers({
  log,
}: {
  readonly log: vscode.LogOutputChannel;
}): Pick<CommandHandlers, "openSettings" | "openWalkthrough" | "showLog"> {
  return {
    openSettings: () =>
      vscode.commands.executeCommand("workbench.action.openSettings", `@ext:${EXTENSION_ID}`),
    openWalkthrough: () =>
      vscode.commands.executeCommand(
        "workbench.action.openWalkthrough",
        `${EXTENSION_ID}#tinkerRL.start`,
      ),
    showLog: () => log.show(),
  };
}
