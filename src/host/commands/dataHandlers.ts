/** Handlers of the commands for examples. */

import { dirname, resolve } from "node:path";
import * as vscode from "vscode";
import * as z from "zod";
import { CONFIG_REQUESTS } from "../../api/config.ts";
import { EXAMPLE_REQUESTS, type ExamplesRequest } from "../../api/examples.ts";
import type { TextEdit } from "../../core/config/editing/text/textEdit.ts";
import { chooseConfig } from "../config/chooseConfig.ts";
import { applyTextEdits } from "../config/textEdits.ts";
import type { RunList } from "../runs/runList.ts";
import { ask } from "../server/ask.ts";
import type { Server } from "../server/server.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { settingOverrides } from "../vscode/settingOverrides.ts";
import { askDataSource, browseExamples } from "./askDataSource.ts";
import { lastRunText } from "./chooseValidConfig.ts";

export interface DataHandlerOptions {
  readonly store: RunList;
  readonly server: Pick<Server, "request">;
  /** Cache folder for shown example files. */
  readonly folder: string;
  /** Shows the run in a folder. */
  readonly open: (folder: string) => void;
}

/** Arguments from a data source's lens. */
const namedSource = z.object({
  config: z.custom<vscode.Uri>((value) => value instanceof vscode.Uri),
  path: z.string().nullable(),
  run: z.string().nullable(),
});

/** `addDataSource` takes a configuration's URI; `readExamples` takes the URI of a JSONL file, or a lens's arguments. */
export function dataHandlers(options: DataHandlerOptions) {
  return {
    readExamples: async (target) => {
      const named = namedSource.safeParse(target).data;
      const folder = named === undefined ? null : dirname(named.config.fsPath);
      if (named?.run != null && folder !== null) options.open(resolve(folder, named.run));
      else if (named?.path != null && folder !== null) {
        await readExamples(options, resolve(folder, named.path), named.config);
      } else {
        const file = target instanceof vscode.Uri ? target : await chooseFile();
        if (file !== undefined) await readExamples(options, file.fsPath, null);
      }
    },
    addDataSource: async (target) => {
      const config = await chooseConfig(target, (uri) => lastRunText(options.store, uri));
      if (config === undefined) return;
      const entry = await askDataSource(config, options.store.runs);
      if (entry === undefined) return;
      const document = await vscode.workspace.openTextDocument(config);
      // The server only answers about documents that are open in an editor.
      await vscode.window.showTextDocument(document);
      const request = { uri: document.uri.toString(), entry };
      const { insertSource } = CONFIG_REQUESTS;
      const edits = await options.server.request<readonly TextEdit[] | null>(insertSource, request);
      const before = document.getText();
      await applyTextEdits(document, edits);
      if (isSupervised(document.getText()) && !isSupervised(before)) {
        void plainWindow.showInformationMessage(
          vscode.l10n.t("The configuration now has method: sft, without which data is not read."),
        );
      }
    },
  } satisfies Partial<CommandHandlers>;
}

function isSupervised(text: string): boolean {
  return /\bmethod"?\s*:\s*["']?sft\b/.test(text);
}

/** @throws Error from the server */
async function readExamples(
  { server, open, folder: parent }: DataHandlerOptions,
  path: string,
  config: vscode.Uri | null,
): Promise<void> {
  const document = config === null ? null : await vscode.workspace.openTextDocument(config);
  const request: ExamplesRequest = {
    path,
    parent,
    config: document && {
      path: document.uri.fsPath,
      text: document.getText(),
      overrides: settingOverrides(document.uri),
    },
  };
  const title = vscode.l10n.t("Reading the examples");
  const progress = { location: vscode.ProgressLocation.Window, title };
  const reading = () => ask<string>(server, EXAMPLE_REQUESTS.read, request);
  open(await plainWindow.withProgress(progress, reading));
}

/** The file in the editor, or one that the user picks. */
async function chooseFile(): Promise<vscode.Uri | undefined> {
  const active = vscode.window.activeTextEditor?.document.uri;
  if (active?.scheme === "file" && active.path.endsWith(".jsonl")) return active;
  return await browseExamples();
}
