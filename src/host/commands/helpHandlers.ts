/** Handlers of the help commands. */

import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { changedSettings } from "../vscode/settings.ts";

const EXTENSION_ID = "tinker-rl.tinker-rl";

export function helpHandlers({
  context,
  log,
}: {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
}) {
  return {
    openSettings: () =>
      vscode.commands.executeCommand("workbench.action.openSettings", `@ext:${EXTENSION_ID}`),
    openWalkthrough: () =>
      vscode.commands.executeCommand(
        "workbench.action.openWalkthrough",
        `${EXTENSION_ID}#tinkerRL.start`,
      ),
    reportIssue: () => reportIssue(context),
    showLog: () => log.show(),
  } satisfies Partial<CommandHandlers>;
}

const LOG_LINES = 200;

/** The log was redacted when written; this also removes the home folder's path. */
async function reportIssue({
  extension,
  logUri,
}: Pick<vscode.ExtensionContext, "extension" | "logUri">): Promise<void> {
  const log = await logEnd(logUri.fsPath);
  const { version }: { version?: unknown } = extension.packageJSON;
  const place = vscode.env.remoteName === undefined ? "this computer" : vscode.env.remoteName;
  const content = [
    "<!-- Read this before you share it, and delete what should stay private. Nothing was sent. -->",
    "",
    "## What happened, and what should have happened",
    "",
    "",
    "## Versions",
    "",
    `- Tinker RL ${String(version)}`,
    `- VS Code ${vscode.version}, ${vscode.env.appHost}, extensions on ${place.split(":")[0]}`,
    `- Node ${process.version}, ${process.platform} ${process.arch}`,
    `- folder trusted: ${vscode.workspace.isTrusted ? "yes" : "no"}`,
    `- settings changed: ${changedSettings().join(", ") || "none"}`,
    "",
    "## End of the log",
    "",
    "```text",
    log.replaceAll(homedir(), "~").replaceAll("```", "'''"),
    "```",
    "",
  ].join("\n");
  const document = await vscode.workspace.openTextDocument({ language: "markdown", content });
  await vscode.window.showTextDocument(document);
}

/** The last lines of the log files in `folder`; empty when there is none. */
async function logEnd(folder: string): Promise<string> {
  const names = await readdir(folder).catch((): string[] => []);
  const files = names.filter((name) => name.endsWith(".log")).map((name) => join(folder, name));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return texts.join("\n").trimEnd().split("\n").slice(-LOG_LINES).join("\n");
}
