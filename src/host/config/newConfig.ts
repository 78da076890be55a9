/** *New Configuration…*: opens a template as a new, unsaved document. */

import * as vscode from "vscode";
import * as z from "zod";
import { TEMPLATES, type Template } from "../../core/config/editing/completion/templates.ts";
import { setContextKey } from "../vscode/contextKeys.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { freeConfigName } from "./freeConfigName.ts";

/** `target` may name a template, to skip the prompt. Resolves to the new document, or undefined if the user picked nothing. */
export async function newConfig(target?: unknown): Promise<vscode.TextDocument | undefined> {
  const named = z.object({ template: z.string() }).safeParse(target).data?.template;
  const known = TEMPLATES.find(({ kind }) => kind === named);
  if (known !== undefined) return open(known);
  const items = TEMPLATES.map((template) => ({
    label: template.title,
    detail: template.description,
    template,
  }));
  const placeHolder = vscode.l10n.t("What should the configuration train?");
  const chosen = await plainWindow.showQuickPick(items, { placeHolder });
  return chosen === undefined ? undefined : open(chosen.template);
}

async function open(template: Template): Promise<vscode.TextDocument> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const document = await (folder === undefined
    ? vscode.workspace.openTextDocument({ language: "yaml", content: template.text })
    : openNamed(folder, template));
  await vscode.window.showTextDocument(document);
  await setContextKey("configCreated", true);
  return document;
}

/** An unsaved document with the path where it will be saved. */
async function openNamed(
  folder: vscode.Uri,
  { kind, text }: Template,
): Promise<vscode.TextDocument> {
  const uri = await freeConfigName(folder, kind);
  const document = await vscode.workspace.openTextDocument(uri.with({ scheme: "untitled" }));
  const change = new vscode.WorkspaceEdit();
  const end = document.positionAt(document.getText().length);
  change.replace(document.uri, new vscode.Range(document.positionAt(0), end), text);
  await vscode.workspace.applyEdit(change);
  return document;
}
