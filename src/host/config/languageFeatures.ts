/** The window's additions to its language client: what only the window knows, and what only VS Code can show. */

import * as vscode from "vscode";
import {
  CATALOGUE_ACCESS,
  CATALOGUE_CHANGED,
  type CatalogueAccessRequest,
} from "../../api/catalogue.ts";
import { CONTEXT_CHANGED, type ConfigContext, EDITOR_REQUESTS } from "../../api/config.ts";
import type { LinkTarget } from "../../core/config/editing/display/links.ts";
import type { LensData } from "../../server/protocolTypes.ts";
import { type CommandId, commandName } from "../manifest/commandTable.ts";
import type { LanguageFeatures } from "../server/serverClient.ts";
import { onSettingChange, readSetting, settingOverrides } from "../vscode/settings.ts";
import { configGlob } from "./configFiles.ts";
import type { LazyConfigSources } from "./configSources.ts";

const ABSOLUTE = /^(?:[/\\]|[a-z]:[/\\])/i;

/** Sends data from `sources` to the server, and adds commands to lenses and links. */
export function languageFeatures(sources: LazyConfigSources): LanguageFeatures {
  return {
    options: {
      documentSelector: [
        { language: "yaml" },
        { language: "json" },
        { language: "jsonc" },
        { pattern: configGlob() },
      ],
      diagnosticCollectionName: "tinkerRL",
      middleware: {
        provideCodeLenses: async (document, token, next) =>
          (await next(document, token))?.map((lens) => withCommand(lens, document.uri)),
        provideDocumentLinks: async (document, token, next) =>
          (await next(document, token))?.flatMap((link) => withPlace(link, document.uri)),
      },
    },
    connect: (client) => {
      client.onRequest(EDITOR_REQUESTS.context, ({ uri }: { readonly uri: string }) =>
        configContext(uri, sources),
      );
      client.onRequest(
        CATALOGUE_ACCESS,
        async ({ wanted }: CatalogueAccessRequest) =>
          (await sources.loaded?.catalogueAccess(wanted)) ?? null,
      );
      client.onNotification(CATALOGUE_CHANGED, () => sources.loaded?.environments.reload());
      const changed = (): void => {
        // A restarting server requests everything again anyway.
        if (client.isRunning()) client.sendNotification(CONTEXT_CHANGED).catch(() => undefined);
      };
      sources.onDidChange(changed);
      onSettingChange(CONTEXT_SETTINGS, changed);
      vscode.workspace.onDidGrantWorkspaceTrust(changed);
      vscode.extensions.onDidChange(changed);
      // Also call it for changes during the start.
      return changed;
    },
  };
}

function withCommand(
  lens: vscode.CodeLens & { readonly data?: LensData },
  config: vscode.Uri,
): vscode.CodeLens {
  const title = lens.command?.title ?? "";
  const { action = "none", source, stage, folder = null } = lens.data ?? {};
  if (action === "none") return new vscode.CodeLens(lens.range, { title, command: "" });
  const calls: Readonly<Record<typeof action, readonly [id: CommandId, argument: unknown]>> = {
    start: ["startTraining", config],
    startStage: ["startTraining", { config, stage }],
    validate: ["validateConfig", config],
    estimate: ["estimateCost", config],
    stop: ["stopRun", { folder }],
    openDashboard: ["openDashboard", { folder }],
    openLastRun: ["openDashboard", { folder }],
    readExamples: ["readExamples", { config, ...source }],
    addDataSource: ["addDataSource", config],
  };
  const [id, argument] = calls[action];
  const command = { title, command: commandName(id), arguments: [argument] };
  return new vscode.CodeLens(lens.range, command);
}

function withPlace(
  link: vscode.DocumentLink & { readonly data?: LinkTarget },
  config: vscode.Uri,
): vscode.DocumentLink[] {
  const { uri = null, tooltip = "" } = link.data === undefined ? {} : placeOf(config, link.data);
  return uri === null ? [] : [Object.assign(new vscode.DocumentLink(link.range, uri), { tooltip })];
}

function placeOf(
  config: vscode.Uri,
  target: LinkTarget,
): { readonly uri: vscode.Uri | null; readonly tooltip: string } {
  switch (target.kind) {
    case "page":
      return { uri: vscode.Uri.parse(target.url), tooltip: vscode.l10n.t("Open environment page") };
    case "environment": {
      const tooltip = vscode.l10n.t("Show in Environments");
      return { uri: commandUri("tinkerRL.environments.focus"), tooltip };
    }
    case "checkpoint": {
      const tooltip = vscode.l10n.t("Show in Checkpoints");
      return { uri: commandUri("tinkerRL.checkpoints.focus"), tooltip };
    }
    case "folder": {
      const folder = folderUri(config, target.path);
      const uri = folder && commandUri("revealInExplorer", folder);
      return { uri, tooltip: vscode.l10n.t("Reveal folder") };
    }
  }
}

/** A link that runs a command; `args` are JSON values. */
function commandUri(command: string, ...args: readonly unknown[]): vscode.Uri {
  const query = args.length === 0 ? "" : `?${encodeURIComponent(JSON.stringify(args))}`;
  return vscode.Uri.parse(`command:${command}${query}`);
}

/** Null if a relative folder has no base. */
function folderUri(config: vscode.Uri, path: string): vscode.Uri | null {
  if (ABSOLUTE.test(path)) return vscode.Uri.file(path);
  return config.scheme === "untitled" ? null : vscode.Uri.joinPath(config, "..", path);
}

const YAML_EXTENSION = "redhat.vscode-yaml";

/** Settings that affect {@link configContext}. */
const CONTEXT_SETTINGS = [
  "config.files",
  "config.advice",
  "config.schemaDiagnostics",
  "config.codeLens",
  "config.inlayHints",
  "overrides",
  "tinker.baseUrl",
  "openReward.baseUrl",
  "openReward.environmentsUrl",
] as const;

export function configContext(uri: string, sources: LazyConfigSources): ConfigContext {
  const place = vscode.Uri.parse(uri);
  const { isTrusted } = vscode.workspace;
  return {
    configNames: readSetting("config.files", place),
    overrides: settingOverrides(place),
    advice: readSetting("config.advice", place),
    schemaChecker: schemaChecker(place),
    readsData: isTrusted,
    lenses: readSetting("config.codeLens", place) ? { canStart: isTrusted } : null,
    wantsHints: readSetting("config.inlayHints", place),
    secrets: sources.loaded?.secrets() ?? null,
    variables: sources.loaded?.variables() ?? {},
  };
}

function schemaChecker(place: vscode.Uri): ConfigContext["schemaChecker"] {
  const request = readSetting("config.schemaDiagnostics", place);
  if (request !== "auto") return request === "never" ? "all" : "none";
  return vscode.extensions.getExtension(YAML_EXTENSION) === undefined ? "none" : "modeline";
}
