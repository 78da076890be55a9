/** How a document is to be checked: by its name, its settings and its folders. */

import { homedir } from "node:os";
import * as vscode from "vscode";
import type { DiagnoseOptions } from "../../core/config/editing/diagnostics/diagnose.ts";
import { readSetting } from "../vscode/settings.ts";
import type { ConfigSupportOptions } from "./configSupportOptions.ts";

const SCHEMA_MODELINE = /^#\s*yaml-language-server:\s*\$schema=/m;
const YAML_EXTENSION = "redhat.vscode-yaml";

export function diagnoseOptions(
  document: vscode.TextDocument,
  { catalogue, overrides }: ConfigSupportOptions,
): DiagnoseOptions {
  const { uri } = document;
  return {
    path: nameOf(document),
    overrides: vscode.workspace.isTrusted ? (overrides?.(uri) ?? []) : [],
    catalogue: catalogue.current(),
    advice: readSetting("config.advice", uri),
    hasSchemaChecker: hasSchemaChecker(document),
    folders: {
      workspace: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
      home: homedir(),
    },
  };
}

/** The name that distinguishes YAML from JSON; an untitled document has its language only. */
export function nameOf({ uri, languageId }: vscode.TextDocument): string {
  const isJson = languageId === "json" || languageId === "jsonc";
  return isJson && !uri.path.endsWith(".json") ? `${uri.path}.json` : uri.path;
}

function hasSchemaChecker(document: vscode.TextDocument): boolean {
  const request = readSetting("config.schemaDiagnostics", document.uri);
  if (request !== "auto") return request === "never";
  const isActive = vscode.extensions.getExtension(YAML_EXTENSION)?.isActive === true;
  return isActive && SCHEMA_MODELINE.test(document.getText());
}
