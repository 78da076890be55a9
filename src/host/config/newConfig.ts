/** New configurations: an unsaved document from a template (*New Configuration…*), or one for a data file (*Train on This Dataset…*). */

import * as vscode from "vscode";
import * as z from "zod";
import { CONFIG_REQUESTS } from "../../api/config.ts";
import { TEMPLATES, type Template } from "../../core/config/editing/completion/templates.ts";
import type { Server } from "../server/server.ts";
import { setContextKey } from "../vscode/contextKeys.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { isTaken, unsavedDocument } from "../vscode/workspaceText.ts";

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
    : unsavedDocument(await freeConfigName(folder, template.kind), template.text));
  await vscode.window.showTextDocument(document);
  await setContextKey("configCreated", true);
  return document;
}

const MAX_NUMBER = 100;

/** `tinker-config.yaml`, else `local.tinker.yaml`, `local-2.tinker.yaml` … in `folder`. */
async function freeConfigName(folder: vscode.Uri, kind: string): Promise<vscode.Uri> {
  const names = ["tinker-config.yaml", `${kind}.tinker.yaml`];
  for (let number = 2; number <= MAX_NUMBER; number++) names.push(`${kind}-${number}.tinker.yaml`);
  for (const name of names) {
    const uri = vscode.Uri.joinPath(folder, name);
    if (!(await isTaken(uri))) return uri;
  }
  return vscode.Uri.joinPath(folder, `${kind}.tinker.yaml`);
}

/** Writes the file and opens it. @throws Error if `target` is not a file and none is open */
export async function trainOnDataset(
  server: Pick<Server, "request">,
  target: unknown,
): Promise<void> {
  const file = target instanceof vscode.Uri ? target : vscode.window.activeTextEditor?.document.uri;
  if (file?.scheme !== "file") {
    throw new Error(vscode.l10n.t("Select a JSONL, CSV or Parquet file in the Explorer first."));
  }
  const text = await server.request<string>(CONFIG_REQUESTS.forDataset, { uri: file.toString() });
  const uri = await freeConfigName(vscode.Uri.joinPath(file, ".."), "dataset");
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  await vscode.window.showTextDocument(uri);
  await setContextKey("configCreated", true);
}
