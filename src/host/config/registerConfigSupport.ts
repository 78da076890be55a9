/** Registers the configuration features. Cheap: the server starts when the first configuration is open. */

import * as vscode from "vscode";
import type { Server } from "../server/server.ts";
import { configFilesKey } from "./configFilesKey.ts";
import { configHandlers } from "./configHandlers.ts";
import { createEffectiveConfig } from "./effectiveConfig.ts";
import type { KnownToEditor } from "./knownToEditor.ts";
import { onFirstConfig } from "./onFirstConfig.ts";
import { registerRemedyCommands } from "./remedyCommands.ts";
import { TASKS_FILE, taskCompletionProvider } from "./taskCompletionProvider.ts";

export interface ConfigSupport extends vscode.Disposable {
  readonly handlers: ReturnType<typeof configHandlers>;
  /** Call when the known configurations may have changed. */
  readonly refresh: () => void;
}

export interface ConfigSupportOptions {
  readonly known: KnownToEditor;
  readonly server: Server;
  readonly log: vscode.LogOutputChannel;
}

export function registerConfigSupport({ known, server, log }: ConfigSupportOptions): ConfigSupport {
  const context = configFilesKey(() => known.sources?.knownConfigs() ?? []);
  const effective = createEffectiveConfig(server);
  const all = vscode.Disposable.from(
    effective,
    context,
    registerRemedyCommands({ server, known, log }),
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
    handlers: configHandlers({ server, known, effective }),
    refresh: context.refresh,
    dispose: () => all.dispose(),
  };
}
