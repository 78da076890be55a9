/** Registers a handler for each command of the table, and rejects commands that need trust in Restricted Mode. */

import * as vscode from "vscode";
import { errorMessage } from "../../core/errors.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { COMMANDS, type CommandId, commandName } from "../manifest/commandTable.ts";
import { plainWindow } from "./plainWindow.ts";

/**
 * `target` is what the command was called on (a tree's row, a file's URI); null for a row that VS Code lost because its tree was redrawn
 * while its menu was open; undefined if there is none. `selection` contains all selected rows. Anyone can call a command with any
 * arguments, so handlers must validate them.
 */
export type CommandHandler = (target?: unknown, selection?: unknown) => unknown;

/** One handler per command; a family of them is `Pick<CommandHandlers, "pauseRun" | …>`. */
export type CommandHandlers = Readonly<Record<CommandId, CommandHandler>>;

/** The log for failures, and the redactor for their messages. */
interface CommandLog {
  readonly log: vscode.LogOutputChannel;
  readonly redactor: Redactor;
}

/** Registers all commands. Errors from handlers are logged and shown, with secrets redacted. */
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
    // The manifest's `enablement` hides a command but does not prevent calls.
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
  const manage = () => vscode.commands.executeCommand("workbench.trust.manage");
  void plainWindow.offer("Warning", text, [[vscode.l10n.t("Manage Workspace Trust"), manage]]);
  return undefined;
}
