/** What the editor answers its server about a configuration. */

import * as vscode from "vscode";
import type { ConfigContext } from "../../api/config.ts";
import { settingOverrides } from "../vscode/settingOverrides.ts";
import { readSetting } from "../vscode/settings.ts";
import { isConfigDocument } from "./configFiles.ts";
import type { KnownToEditor } from "./knownToEditor.ts";

const SCHEMA_MODELINE = /^#\s*yaml-language-server:\s*\$schema=/m;
const YAML_EXTENSION = "redhat.vscode-yaml";

/** Settings whose change may change what {@link configContext} says. */
export const CONTEXT_SETTINGS = [
  "config.files",
  "config.advice",
  "config.schemaDiagnostics",
  "config.codeLens",
  "config.inlayHints",
  "overrides",
] as const;

/** `uri` names an open document; another one is no configuration. */
export function configContext(uri: string, known: KnownToEditor): ConfigContext {
  const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri);
  const place = document?.uri ?? vscode.Uri.parse(uri);
  const { isTrusted } = vscode.workspace;
  return {
    isConfig: document !== undefined && isConfigDocument(document),
    overrides: settingOverrides(place),
    advice: readSetting("config.advice", place),
    hasSchemaChecker: document !== undefined && hasSchemaChecker(document),
    readsData: isTrusted,
    lenses: readSetting("config.codeLens", place) ? { canStart: isTrusted } : null,
    wantsHints: readSetting("config.inlayHints", place),
    secrets: known.secrets,
    variables: known.variables,
  };
}

function hasSchemaChecker(document: vscode.TextDocument): boolean {
  const request = readSetting("config.schemaDiagnostics", document.uri);
  if (request !== "auto") return request === "never";
  const isActive = vscode.extensions.getExtension(YAML_EXTENSION)?.isActive === true;
  return isActive && SCHEMA_MODELINE.test(document.getText());
}
