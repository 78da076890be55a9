/** *Train on This Dataset…*: creates a configuration next to a data file, with columns and grader suggested by its first rows. */

import * as vscode from "vscode";
import { CONFIG_REQUESTS } from "../../api/config.ts";
import type { Server } from "../server/server.ts";
import { setContextKey } from "../vscode/contextKeys.ts";
import { freeConfigName } from "./freeConfigName.ts";

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
