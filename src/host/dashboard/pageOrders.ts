/** Carries out page requests that only VS Code can fulfill. */

import * as vscode from "vscode";
import type { PageOrder } from "../../api/pages.ts";
import { AppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import type {
  CommandArgs,
  DashboardCommand,
  ExportedFile,
} from "../../shared/dashboardMessages.ts";
import { rangeAt } from "../config/rangeAt.ts";
import { type CommandId, commandName } from "../manifest/commandTable.ts";
import { applyAlarm, configPathOf } from "../runs/applyAlarm.ts";
import { resumeBefore } from "../runs/branchRun.ts";
import type { RunList } from "../runs/runList.ts";
import { diffRollouts } from "../views/rolloutDocuments.ts";
import { setContextKey } from "../vscode/contextKeys.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { isThere } from "../vscode/workspaceText.ts";

export interface PageOrdersOptions {
  readonly store: RunList;
  readonly fileSystem: FileSystem;
  /** Opens the dashboard for the run in a folder. */
  readonly open: (folder: string) => void;
}

type Order<Kind extends PageOrder["kind"]> = Extract<PageOrder, { readonly kind: Kind }>;

/** What a page's command does: a command of the extension that is called on the run, or something of its own. */
type Act = CommandId | ((order: Order<"command">, options: PageOrdersOptions) => unknown);
const COMMANDS: Partial<Readonly<Record<DashboardCommand, Act>>> = {
  pause: "pauseRun",
  continue: "continueRun",
  saveNow: "saveCheckpointNow",
  stop: "stopRun",
  stopNow: "stopRunNow",
  resume: "resumeRun",
  "change-settings": "changeRunSettings",
  startFromCheckpoint: "startFromCheckpoint",
  branchFromCheckpoint: "branchFromCheckpoint",
  evaluateCheckpoint: "evaluateCheckpoint",
  chatWithCheckpoint: "chatWithCheckpoint",
  downloadCheckpoint: "downloadCheckpoint",
  keepCheckpoint: "keepCheckpoint",
  deleteCheckpoint: "deleteCheckpoint",
  openRunFolder: "openRunFolder",
  openLog: "openRunLog",
  openRolloutJson: "openRolloutJson",
  continueFromHere: "continueFromHere",
  copyText: ({ args }) => vscode.env.clipboard.writeText(args.text ?? ""),
  openLink: ({ args }) => openLink(args.url ?? ""),
  titleActions: ({ args }) => setContextKey("titleActions", args.text ?? ""),
  exportFile: ({ args: { file } }) => (file === undefined ? null : saveFile(file)),
  diffRollouts: ({ folder, args: { key, other } }) =>
    key === undefined || other === undefined
      ? null
      : diffRollouts({ folder, ...key }, { folder, ...other }),
  // Called without arguments, because it is not about the shown run.
  importRun: () => vscode.commands.executeCommand(commandName("importRun")),
  ownEnvironment: () =>
    vscode.commands.executeCommand(commandName("newConfig"), { template: "own" }),
  openConfigAt: ({ folder, args }, { store }) => openConfig(store, folder, args),
  applyAlarm: ({ folder, alarm }, { store }) =>
    alarm === null ? null : applyAlarm(store, folder, alarm),
  resumeBeforeAlarm: ({ folder, alarm }, { fileSystem }) =>
    alarm === null ? null : resumeBefore(fileSystem, folder, alarm),
};

/** Resolves with the answer to a prompt, otherwise with null. A rejection is shown in the page. */
export async function doForPage(
  order: PageOrder,
  options: PageOrdersOptions,
): Promise<string | null> {
  switch (order.kind) {
    case "command":
      await runCommand(order, options);
      return null;
    case "open-run":
      options.open(order.folder);
      return null;
    case "save":
      await saveFile(order.file);
      return null;
    case "ask":
      return await ask(order);
    case "diff":
      await diffConfigs(options.store, order);
      return null;
  }
}

async function runCommand(order: Order<"command">, options: PageOrdersOptions): Promise<void> {
  const { command, folder, args } = order;
  const act = COMMANDS[command];
  if (act === undefined) {
    throw new AppError("no-such-command", `The dashboard has no command ${command}.`);
  }
  if (typeof act === "function") {
    await act(order, options);
    return;
  }
  const { key, name, turn } = args;
  await vscode.commands.executeCommand(commandName(act), { folder, ...key, name, turn });
}

/** Saves a page's export to a file that the user chooses. */
async function saveFile({ name, content, encoding }: ExportedFile): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uri = await vscode.window.showSaveDialog(
    folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) },
  );
  if (uri !== undefined) await vscode.workspace.fs.writeFile(uri, Buffer.from(content, encoding));
}

/** The editor asks before opening an untrusted address. */
async function openLink(address: string): Promise<void> {
  const uri = vscode.Uri.parse(address, true);
  if (uri.scheme !== "https" && uri.scheme !== "http") {
    throw new AppError(
      "link-refused",
      `Only http and https links can be opened, not ${uri.scheme}.`,
    );
  }
  await vscode.env.openExternal(uri);
}

async function ask({ what, name, value }: Order<"ask">): Promise<string | null> {
  const prompt =
    what === "tags"
      ? vscode.l10n.t("Tags of {0}, separated by commas", name)
      : vscode.l10n.t("Note on {0}", name);
  return (await plainWindow.showInputBox({ prompt, value })) ?? null;
}

/** Uses the editor's diff view. */
async function diffConfigs(store: RunList, { left, right }: Order<"diff">): Promise<void> {
  const nameOf = (folder: string): string => store.get(folder)?.name ?? folder;
  const uriOf = (folder: string): vscode.Uri => vscode.Uri.file(runPaths(folder).resolvedConfig);
  const title = vscode.l10n.t("Configurations: {0} and {1}", nameOf(left), nameOf(right));
  await vscode.commands.executeCommand("vscode.diff", uriOf(left), uriOf(right), title);
}

async function openConfig(
  store: RunList,
  folder: string,
  { path = [] }: CommandArgs,
): Promise<void> {
  const configPath = configPathOf(store.get(folder));
  const uri = vscode.Uri.file(configPath);
  if (!(await isThere(uri))) {
    const text = vscode.l10n.t(
      "{0} no longer exists. Run › Configuration shows what the run was started with.",
      configPath,
    );
    await plainWindow.showWarningMessage(text);
    return;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  const { start: at } = rangeAt(document, path, "key");
  await vscode.window.showTextDocument(document, {
    viewColumn: vscode.ViewColumn.One,
    selection: new vscode.Range(at, at),
  });
}
