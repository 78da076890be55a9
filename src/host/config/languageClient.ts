/** The window's end of the language server: starts its process, and shows in VS Code's own way what only VS Code can show. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join } from "node:path";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";
import {
  CONTEXT_CHANGED,
  type ContextChange,
  EDITOR_REQUESTS,
  type EditorHandshake,
  type UpdateCatalogueRequest,
} from "../../api/config.ts";
import type { LensAction } from "../../core/config/editing/display/lenses.ts";
import type { LinkTarget } from "../../core/config/editing/display/links.ts";
import { errorMessage } from "../../core/errors.ts";
import { commandUri } from "../vscode/commandUri.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { programEnvironment } from "../vscode/programEnvironment.ts";
import { onSettingChange } from "../vscode/settings.ts";
import { CONTEXT_SETTINGS, configContext } from "./editorAnswers.ts";
import { configGlob } from "./findConfigs.ts";
import type { ConfigRun, KnownToEditor } from "./knownToEditor.ts";

/** Asks the language server about an open configuration. */
export type AskServer = <Answer>(
  request: string,
  config: vscode.Uri,
  parameters?: object,
) => Promise<Answer>;

export interface LanguageClientOptions {
  readonly known: KnownToEditor;
  readonly log: vscode.LogOutputChannel;
  /** Holds the trainer's program, which is the server too. */
  readonly programFolder: string;
  readonly version: string;
}

/** Before another start of a server that does not live. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
/** A server that has lived so long starts again without a pause. */
const SOUND_MS = 60_000;
const ABSOLUTE = /^(?:[/\\]|[a-z]:[/\\])/i;

/** Starts the server. It ends with the window, and is started again when it ends by itself. */
export async function startLanguageClient(options: LanguageClientOptions): Promise<LanguageClient> {
  const { known, log, programFolder, version } = options;
  const handshake: EditorHandshake = { tinkerRlVersion: version };
  const client = new LanguageClient("tinkerRL", "Tinker RL", () => startServer(programFolder), {
    documentSelector: [
      { language: "yaml" },
      { language: "json" },
      { language: "jsonc" },
      { pattern: configGlob() },
    ],
    diagnosticCollectionName: "tinkerRL",
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: handshake,
    initializationFailedHandler: (error: unknown) => {
      log.error(errorMessage(error));
      void plainWindow.showErrorMessage(errorMessage(error));
      return false;
    },
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: restart(log),
    },
    middleware: {
      provideCodeLenses: async (document, token, next) =>
        (await next(document, token))?.map((lens) => withCommand(lens, document.uri, known)),
      provideDocumentLinks: async (document, token, next) =>
        (await next(document, token))?.flatMap((link) => withPlace(link, document.uri)),
    },
  });
  client.onRequest(EDITOR_REQUESTS.context, ({ uri }: { readonly uri: string }) =>
    configContext(uri, known),
  );
  client.onRequest(EDITOR_REQUESTS.catalogue, () => known.catalogue());
  client.onRequest(EDITOR_REQUESTS.updateCatalogue, async ({ wanted }: UpdateCatalogueRequest) => {
    await known.updateCatalogue(wanted);
    return null;
  });
  await client.start();
  const changed = (what: ContextChange): void => {
    // A server that is starting again asks for all it shows.
    if (client.isRunning())
      client.sendNotification(CONTEXT_CHANGED, { what }).catch(() => undefined);
  };
  known.onDidChange(changed);
  onSettingChange(CONTEXT_SETTINGS, () => changed("checks"));
  vscode.workspace.onDidGrantWorkspaceTrust(() => changed("checks"));
  // What changed while it started.
  changed("checks");
  return client;
}

/** Without the keys of the window's environment, which the client's own start would pass on. */
async function startServer(programFolder: string): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(process.execPath, [join(programFolder, "tinker-rl.js"), "lsp"], {
    cwd: programFolder,
    windowsHide: true,
    env: programEnvironment({}),
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  // What is written while it ends goes nowhere.
  child.stdin.on("error", () => undefined);
  return child;
}

/** What to do when the server has ended: the user hears of it once, the log each time. */
function restart(log: vscode.LogOutputChannel) {
  let startedAt = performance.now();
  let pause = 0;
  let isFirst = true;
  return async () => {
    const isSound = performance.now() - startedAt > SOUND_MS;
    pause = isSound ? 0 : Math.min(Math.max(FIRST_PAUSE_MS, 2 * pause), MAX_PAUSE_MS);
    log.warn("The Tinker RL server stopped unexpectedly. Restarting it.");
    if (isFirst) {
      const text = vscode.l10n.t("The Tinker RL server stopped unexpectedly. Restarting it.");
      void plainWindow.showWarningMessage(text);
    }
    isFirst = false;
    await new Promise((resolve) => setTimeout(resolve, pause));
    startedAt = performance.now();
    return { action: CloseAction.Restart, handled: true };
  };
}

function withCommand(
  lens: vscode.CodeLens & { readonly data?: LensAction },
  config: vscode.Uri,
  known: KnownToEditor,
): vscode.CodeLens {
  const title = lens.command?.title ?? "";
  const run = known.runOf(config);
  return new vscode.CodeLens(lens.range, {
    title,
    ...commandFor(lens.data ?? "none", config, run),
  });
}

function commandFor(
  action: LensAction,
  uri: vscode.Uri,
  { target }: ConfigRun,
): Pick<vscode.Command, "command" | "arguments"> {
  switch (action) {
    case "start":
      return { command: "tinkerRL.startTraining", arguments: [uri] };
    case "validate":
      return { command: "tinkerRL.validateConfig", arguments: [uri] };
    case "estimate":
      return { command: "tinkerRL.estimateCost", arguments: [uri] };
    case "stop":
      return { command: "tinkerRL.stopRun", arguments: [target] };
    case "openDashboard":
    case "openLastRun":
      return { command: "tinkerRL.openDashboard", arguments: [target] };
    case "none":
      return { command: "" };
  }
}

function withPlace(
  link: vscode.DocumentLink & { readonly data?: LinkTarget },
  config: vscode.Uri,
): vscode.DocumentLink[] {
  const found = link.data === undefined ? null : placeOf(config, link.data);
  if (found === null) return [];
  const shown = new vscode.DocumentLink(link.range, found.uri);
  shown.tooltip = found.tooltip;
  return [shown];
}

function placeOf(
  config: vscode.Uri,
  target: LinkTarget,
): { readonly uri: vscode.Uri; readonly tooltip: string } | null {
  switch (target.kind) {
    case "page":
      return { uri: vscode.Uri.parse(target.url), tooltip: vscode.l10n.t("Open environment page") };
    case "environment":
      return {
        uri: commandUri("tinkerRL.environments.focus"),
        tooltip: vscode.l10n.t("Show in Environments"),
      };
    case "checkpoint":
      return {
        uri: commandUri("tinkerRL.checkpoints.focus"),
        tooltip: vscode.l10n.t("Show in Checkpoints"),
      };
    case "folder": {
      const folder = folderUri(config, target.path);
      return folder === null
        ? null
        : {
            uri: commandUri("revealInExplorer", folder),
            tooltip: vscode.l10n.t("Reveal folder"),
          };
    }
  }
}

/** Null where a relative folder has nothing to start at. */
function folderUri(config: vscode.Uri, path: string): vscode.Uri | null {
  if (ABSOLUTE.test(path)) return vscode.Uri.file(path);
  return config.scheme === "untitled" ? null : vscode.Uri.joinPath(config, "..", path);
}
