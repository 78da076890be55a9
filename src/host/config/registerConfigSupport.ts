/** Registers the help for configurations. Cheap: what knows the rules loads when the first configuration is open. */

import * as vscode from "vscode";
import { CodeActionProvider, FIX_ALL } from "./codeActionProvider.ts";
import { CodeLensProvider } from "./codeLensProvider.ts";
import { COMPLETION_TRIGGERS, CompletionProvider } from "./completionProvider.ts";
import { ConfigContext } from "./configContext.ts";
import { type ConfigHandlers, configHandlers } from "./configHandlers.ts";
import type { ConfigSupportOptions, SharedOptions } from "./configSupportOptions.ts";
import { DiagnosticsProvider } from "./diagnosticsProvider.ts";
import { EffectiveConfig } from "./effectiveConfig.ts";
import { HoverProvider } from "./hoverProvider.ts";
import { InlayHintsProvider } from "./inlayHintsProvider.ts";
import { LinkProvider } from "./linkProvider.ts";
import { registerRemedyCommands } from "./remedyCommands.ts";
import { TASKS_FILE, TaskCompletionProvider } from "./taskCompletionProvider.ts";

export interface ConfigSupport extends vscode.Disposable {
  readonly handlers: ConfigHandlers;
  /** Call it when `knownConfigs` may answer otherwise. */
  readonly refresh: () => void;
}

const LANGUAGES: readonly vscode.DocumentFilter[] = [
  { language: "yaml" },
  { language: "json" },
  { language: "jsonc" },
];

export function registerConfigSupport(options: ConfigSupportOptions): ConfigSupport {
  const shared: SharedOptions = {
    ...options,
    support: async () => (await import("./support.ts")).support,
  };
  const diagnostics = new DiagnosticsProvider(shared);
  const effective = new EffectiveConfig(shared);
  const codeLenses = new CodeLensProvider(shared);
  const inlayHints = new InlayHintsProvider(shared);
  const context = new ConfigContext(options.knownConfigs ?? (() => []));
  const all = vscode.Disposable.from(
    diagnostics,
    effective,
    codeLenses,
    inlayHints,
    context,
    registerRemedyCommands(shared),
    vscode.languages.registerCompletionItemProvider(
      LANGUAGES,
      new CompletionProvider(shared),
      ...COMPLETION_TRIGGERS,
    ),
    vscode.languages.registerCompletionItemProvider(
      TASKS_FILE,
      new TaskCompletionProvider(shared),
      ...['"', "/"],
    ),
    vscode.languages.registerHoverProvider(LANGUAGES, new HoverProvider(shared)),
    vscode.languages.registerCodeActionsProvider(LANGUAGES, new CodeActionProvider(shared), {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, FIX_ALL],
    }),
    vscode.languages.registerCodeLensProvider(LANGUAGES, codeLenses),
    vscode.languages.registerInlayHintsProvider(LANGUAGES, inlayHints),
    vscode.languages.registerDocumentLinkProvider(LANGUAGES, new LinkProvider(shared)),
  );
  return {
    handlers: configHandlers({ ...shared, diagnostics, effective }),
    refresh: () => context.refresh(),
    dispose: () => all.dispose(),
  };
}
