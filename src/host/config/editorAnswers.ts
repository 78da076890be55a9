/** The editor's answers to its server about a configuration. */

import * as vscode from "vscode";
import type { ConfigContext } from "../../api/config.ts";
import { settingOverrides } from "../vscode/settingOverrides.ts";
import { readSetting } from "../vscode/settings.ts";
import type { KnownToEditor } from "./knownToEditor.ts";

const YAML_EXTENSION = "redhat.vscode-yaml";

/** Settings that affect {@link configContext}. */
export const CONTEXT_SETTINGS = [
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

export function configContext(uri: string, known: KnownToEditor): ConfigContext {
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
    secrets: known.sources?.secrets() ?? null,
    variables: known.sources?.variables() ?? {},
  };
}

function schemaChecker(place: vscode.Uri): ConfigContext["schemaChecker"] {
  const request = readSetting("config.schemaDiagnostics", place);
  if (request !== "auto") return request === "never" ? "all" : "none";
  return vscode.extensions.getExtension(YAML_EXTENSION) === undefined ? "none" : "modeline";
}
