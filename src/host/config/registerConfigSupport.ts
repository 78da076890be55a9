/** Registers the help for configurations. Cheap: the language server starts when the first configuration is open. */

import * as vscode from "vscode";
import { ConfigFilesKey } from "./configFilesKey.ts";
import { type ConfigHandlers, configHandlers } from "./configHandlers.ts";
import { EffectiveConfig } from "./effectiveConfig.ts";
import type { AskServer, LanguageClientOptions } from "./languageClient.ts";
import { onFirstConfig } from "./onFirstConfig.ts";
import { registerRemedyCommands } from "./remedyCommands.ts";
import { TASKS_FILE, TaskCompletionProvider } from "./taskCompletionProvider.ts";

export interface ConfigSupport extends vscode.Disposable {
  readonly handlers: ConfigHandlers;
  /** Call it when the known configurations may be others. */
  readonly refresh: () => void;
  /** Ends the language server. */
  readonly stop: () => Promise<void>;
}

export function registerConfigSupport(options: LanguageClientOptions): ConfigSupport {
  const { known, log } = options;
  let client: ReturnType<typeof start> | null = null;
  const start = async () => {
    const { startLanguageClient } = await import("./languageClient.ts");
    return startLanguageClient(options);
  };
  const started = (): ReturnType<typeof start> => {
    client ??= start().catch((error: unknown) => {
      client = null;
      throw error;
    });
    return client;
  };
  const ask: AskServer = async (request, config, parameters = {}) =>
    (await started()).sendRequest(request, { uri: config.toString(), ...parameters });
  const context = new ConfigFilesKey(() => known.configs());
  const effective = new EffectiveConfig(ask);
  const all = vscode.Disposable.from(
    effective,
    context,
    registerRemedyCommands({ ask, known, log }),
    // Once: a server that cannot be started is tried again for a command only, not with each key.
    onFirstConfig(() => {
      started().catch((error: unknown) => log.error(String(error)));
    }),
    vscode.languages.registerCompletionItemProvider(
      TASKS_FILE,
      new TaskCompletionProvider(log),
      ...['"', "/"],
    ),
  );
  return {
    handlers: configHandlers({ ask, known, effective }),
    refresh: () => context.refresh(),
    dispose: () => all.dispose(),
    stop: async () => (await client?.catch(() => null))?.dispose(),
  };
}
