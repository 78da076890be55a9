/** *Export Report…*: a single file about runs, for people without this extension. */

import * as vscode from "vscode";
import { REPORT_REQUESTS, type ReportRequest } from "../../api/reports.ts";
import type { RunEntry } from "../../api/runs.ts";
import { reportFileName } from "../../core/report/reportFileName.ts";
import { ON_SELECTION } from "../manifest/commandRow.ts";
import { ask } from "../server/ask.ts";
import type { Server } from "../server/server.ts";
import { isRemoteWindow, showFolder } from "../vscode/folders.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { type ChooseRunOptions, chooseRuns } from "./chooseRun.ts";

export interface ReportHandlerOptions extends ChooseRunOptions {
  readonly server: Pick<Server, "request">;
}

export function reportHandlers(options: ReportHandlerOptions) {
  const { server, tree } = options;
  return {
    exportReport: async (target, selection) => {
      // A report changes nothing, so from the palette it takes the selected runs without asking.
      const isOfSelected = target === undefined && tree.selection.length > 1;
      const called = isOfSelected ? [ON_SELECTION] : [target, selection];
      await exportReport(await chooseRuns(options, called), server);
    },
  } satisfies Partial<CommandHandlers>;
}

/** Returns silently if the user chooses no file. @throws Error from the server */
async function exportReport(
  runs: readonly Pick<RunEntry, "folder" | "name">[],
  server: Pick<Server, "request">,
): Promise<void> {
  if (runs.length === 0) return;
  const file = await chooseFile(reportFileName(runs));
  if (file === undefined) return;
  const request: ReportRequest = {
    runs: runs.map(({ folder, name }) => ({ folder, name })),
    format: file.path.endsWith(".md") ? "markdown" : "html",
  };
  const progress = {
    location: vscode.ProgressLocation.Window,
    title: vscode.l10n.t("Writing the report"),
  };
  const writing = () => ask<string>(server, REPORT_REQUESTS.write, request);
  const report = await plainWindow.withProgress(progress, writing);
  await vscode.workspace.fs.writeFile(file, Buffer.from(report));
  const open = vscode.l10n.t("Open");
  const text = vscode.l10n.t("The report is in {0}.", vscode.workspace.asRelativePath(file));
  if ((await plainWindow.showInformationMessage(text, open)) !== open) return;
  await show(file, request.format);
}

async function show(file: vscode.Uri, format: ReportRequest["format"]): Promise<void> {
  // The browser runs where the window is drawn; from the Explorer, the file can be downloaded to there.
  const isElsewhere = isRemoteWindow();
  const isListed = vscode.workspace.getWorkspaceFolder(file) !== undefined;
  if (format === "html" && !isElsewhere) await vscode.env.openExternal(file);
  else if (format === "html" && isListed) await showFolder(file);
  else await vscode.window.showTextDocument(file);
}

async function chooseFile(fileName: string): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const options: vscode.SaveDialogOptions = {
    title: vscode.l10n.t("Export Report"),
    filters: {
      [vscode.l10n.t("Web page with charts")]: ["html"],
      [vscode.l10n.t("Markdown summary")]: ["md"],
    },
  };
  if (folder !== undefined) options.defaultUri = vscode.Uri.joinPath(folder, fileName);
  return vscode.window.showSaveDialog(options);
}
