/** Gives every command of the table its handler, and refuses those that need trust in Restricted Mode. */

import * as vscode from "vscode";
import { errorMessage } from "../../core/errors.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { COMMANDS, type CommandId, commandName } from "../manifest/commandTable.ts";
import { plainWindow } from "./plainWindow.ts";

/**
 * `target` is what the command was called on (a tree's row, a file's URI); null for a row that VS Code does not know any more,
 * because its tree was drawn again while its menu was open; undefined where there is none. `selection` is all selected rows. Anyone can call a command with anything: a handler checks what it got.
 */
export type CommandHandler = (target?: unknown, selection?: unknown) => unknown;

/** One handler for each command; a family of them is `Pick<CommandHandlers, "pauseRun" | …>`. */
export type CommandHandlers = Readonly<Record<CommandId, CommandHandler>>;

/** Where a failure is logged, and without what. */
interface CommandLog {
  readonly log: vscode.LogOutputChannel;
  readonly redactor: Redactor;
}

/** Registers all commands. A handler that throws is logged, and its message shown, without secrets. */
export function registerCommands(
  handlers: CommandHandlers,
  commandLog: CommandLog,
): vscode.Disposable {
  const ids = Object.keys(handlers) as CommandId[]; // the type of the keys is that of the record
  return vscode.Disposable.from(
    ...ids.map((id) =>
      vscode.commands.registerCommand(commandName(id), withFallback(id, handlers[id], commandLog)),
    ),
  );
}

function withFallback(
  id: CommandId,
  handler: CommandHandler,
  { log, redactor }: CommandLog,
): CommandHandler {
  const row = COMMANDS.get(id);
  return async (...args) => {
    // The manifest's `enablement` hides a command and does not stop a call.
    if (row?.needsTrust === true && !vscode.workspace.isTrusted) return refuse(row.title);
    try {
      const [target, selection] = args;
      return await handler(args.length === 0 ? undefined : (target ?? null), selection);
    } catch (error) {
      const message = redactor.redact(errorMessage(error));
      log.error(`${id}: ${message}`);
      void plainWindow.showErrorMessage(message);
      return undefined;
    }
  };
}

function refuse(title: string): undefined {
  const text = vscode.l10n.t("{0} is off in Restricted Mode. Trust this folder to use it.", title);
  const action = vscode.l10n.t("Manage Workspace Trust");
  void plainWindow.showWarningMessage(text, action).then((chosen) => {
    if (chosen === action) void vscode.commands.executeCommand("workbench.trust.manage");
  });
  return undefined;
}
