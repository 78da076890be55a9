/** Fixes that take more than an edit of the configuration: secrets go elsewhere, settings are opened. */

import * as vscode from "vscode";
import type { WrittenSecret } from "../../core/config/editing/edits/secretAt.ts";
import type { RemedyCommand } from "../../core/config/source/remedy.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { isConfigDocument } from "./configFiles.ts";
import type { SharedOptions } from "./configSupportOptions.ts";
import { nameOf } from "./diagnoseOptions.ts";
import { applyTextEdits } from "./textEdits.ts";

const MOVE_SECRET = "_tinkerRL.moveSecret";

/** The command behind a fix. It carries the place of a secret, never its text. */
export function remedyCommand(
  uri: vscode.Uri,
  title: string,
  { name, path }: { readonly name: RemedyCommand; readonly path: readonly string[] },
): vscode.Command {
  switch (name) {
    case "setSecret":
      return { title, command: "tinkerRL.setApiKey", arguments: [path[0]] };
    case "openOverrides":
      return {
        title,
        command: "workbench.action.openSettings",
        arguments: ["tinkerRL.overrides"],
      };
    case "secretToStore":
    case "secretToEnvFile":
      return { title, command: MOVE_SECRET, arguments: [uri.toString(), path, name] };
  }
}

/** Registers the command that takes a secret out of a file. */
export function registerRemedyCommands(options: SharedOptions): vscode.Disposable {
  return vscode.commands.registerCommand(
    MOVE_SECRET,
    async (uri: unknown, path: unknown, target: unknown) => {
      try {
        await moveSecret(options, uri, path, target);
      } catch {
        // An error may quote what was being moved.
        options.log.warn("a secret could not be moved out of a configuration");
        const text = vscode.l10n.t("The secret could not be moved. The file is as it was.");
        void plainWindow.showErrorMessage(text);
      }
    },
  );
}

/** Anyone can call a command with anything. */
async function moveSecret(
  options: SharedOptions,
  uri: unknown,
  path: unknown,
  target: unknown,
): Promise<void> {
  if (!vscode.workspace.isTrusted) return;
  if (typeof uri !== "string" || !Array.isArray(path)) return;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  if (!isConfigDocument(document)) return;
  const { secretAt } = await options.support();
  const secret = secretAt(document.getText(), path.map(String), { path: nameOf(document) });
  if (secret === null) return;
  const isKept =
    target === "secretToEnvFile"
      ? await addToEnvFile(document.uri, secret)
      : ((await options.storeSecret?.(secret.name, secret.value)) ?? false);
  if (isKept) await applyTextEdits(document, secret.edits);
}

/** Adds a line to the `.env` beside the configuration, and saves it. */
async function addToEnvFile(config: vscode.Uri, secret: WrittenSecret): Promise<boolean> {
  if (config.scheme === "untitled") return false;
  const uri = vscode.Uri.joinPath(config, "..", ".env");
  const change = new vscode.WorkspaceEdit();
  change.createFile(uri, { ignoreIfExists: true });
  if (!(await vscode.workspace.applyEdit(change))) return false;
  const file = await vscode.workspace.openTextDocument(uri);
  const text = file.getText();
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  const line = new vscode.WorkspaceEdit();
  line.insert(uri, file.positionAt(text.length), `${gap}${secret.name}=${quoted(secret.value)}\n`);
  if (!(await vscode.workspace.applyEdit(line)) || !(await file.save())) return false;
  void plainWindow.showInformationMessage(
    vscode.l10n.t("{0} is in .env now. Keep that file out of version control.", secret.name),
  );
  return true;
}

/** As Node's reader of `.env` files understands it. */
function quoted(value: string): string {
  const quote = ["'", '"', "`"].find((mark) => !value.includes(mark)) ?? "'";
  return `${quote}${value}${quote}`;
}
