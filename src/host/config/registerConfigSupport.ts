/** Registers the configuration features. Cheap: the server starts when the first configuration is open. */

import { basename, dirname, resolve } from "node:path";
import * as vscode from "vscode";
import { CONFIG_REQUESTS, MOVE_SECRET } from "../../api/config.ts";
import type { WrittenSecret } from "../../core/config/editing/edits/secretAt.ts";
import type { Server } from "../server/server.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { readSetting } from "../vscode/settings.ts";
import { isConfigDocument } from "./configFiles.ts";
import { configFilesKey } from "./configFilesKey.ts";
import { configHandlers } from "./configHandlers.ts";
import type { LazyConfigSources } from "./configSources.ts";
import { createEffectiveConfig } from "./effectiveConfig.ts";
import { onFirstConfig } from "./onFirstConfig.ts";
import { TASKS_FILE, taskCompletionProvider } from "./taskCompletionProvider.ts";
import { applyTextEdits } from "./textEdits.ts";

export type ConfigSupport = ReturnType<typeof registerConfigSupport>;

export interface ConfigSupportOptions {
  readonly sources: LazyConfigSources;
  readonly server: Server;
  readonly log: vscode.LogOutputChannel;
}

export function registerConfigSupport(options: ConfigSupportOptions) {
  const { sources, server, log } = options;
  const context = configFilesKey(() => sources.loaded?.knownConfigs() ?? []);
  const effective = createEffectiveConfig(server);
  const all = vscode.Disposable.from(
    effective,
    context,
    registerMoveSecret(options),
    // Only once: after a failed start, the server is retried only for commands, not for every keystroke.
    onFirstConfig(() => {
      server.start().catch((error: unknown) => log.error(String(error)));
    }),
    vscode.languages.registerCompletionItemProvider(
      TASKS_FILE,
      taskCompletionProvider(log),
      ...['"', "/"],
    ),
  );
  return {
    handlers: configHandlers({ server, sources, effective }),
    /** Call when the known configurations may have changed. */
    refresh: context.refresh,
    dispose: () => all.dispose(),
  };
}

/** Registers the command that moves a secret out of a file. */
function registerMoveSecret(options: ConfigSupportOptions): vscode.Disposable {
  return vscode.commands.registerCommand(
    MOVE_SECRET,
    async (uri: unknown, path: unknown, target: unknown) => {
      try {
        await moveSecret(options, uri, path, target);
      } catch {
        // The error may quote the secret, so it is not logged.
        options.log.warn("a secret could not be moved out of a configuration");
        const text = vscode.l10n.t("The secret could not be moved. The file was not changed.");
        void plainWindow.showErrorMessage(text);
      }
    },
  );
}

/** Validates everything, because anyone can call a command with any arguments. */
async function moveSecret(
  options: ConfigSupportOptions,
  uri: unknown,
  path: unknown,
  target: unknown,
): Promise<void> {
  if (!vscode.workspace.isTrusted) return;
  if (typeof uri !== "string" || !Array.isArray(path)) return;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  if (!isConfigDocument(document)) return;
  const { secretAt } = CONFIG_REQUESTS;
  const parameters = { uri: document.uri.toString(), path: path.map(String) };
  const secret = await options.server.request<WrittenSecret | null>(secretAt, parameters);
  if (secret === null) return;
  const isKept =
    target === "secretToEnvFile"
      ? await addToEnvFile(document.uri, secret)
      : await options.sources.storeSecret(secret.name, secret.value);
  if (isKept) await applyTextEdits(document, secret.edits);
}

/** Appends a line to the file in the setting `env.file`, and saves it. */
async function addToEnvFile(config: vscode.Uri, secret: WrittenSecret): Promise<boolean> {
  if (config.scheme === "untitled") return false;
  const path = resolve(dirname(config.fsPath), readSetting("env.file", config));
  // Loaded only here, because the activation needs no files.
  const { assignmentOf } = await import("../../node/envText.ts");
  const assignment = assignmentOf(secret.name, secret.value);
  if (assignment === null) throw new Error("No quotes keep the value.");
  const uri = vscode.Uri.file(path);
  const change = new vscode.WorkspaceEdit();
  change.createFile(uri, { ignoreIfExists: true });
  if (!(await vscode.workspace.applyEdit(change))) return false;
  const file = await vscode.workspace.openTextDocument(uri);
  const text = file.getText();
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  const line = new vscode.WorkspaceEdit();
  line.insert(uri, file.positionAt(text.length), `${gap}${assignment}\n`);
  if (!(await vscode.workspace.applyEdit(line)) || !(await file.save())) return false;
  void plainWindow.showInformationMessage(
    vscode.l10n.t(
      "{0} is now in {1}. Keep that file out of version control.",
      secret.name,
      basename(path),
    ),
  );
  return true;
}
