/** Handlers of the commands for examples. */

import { basename, dirname, relative, resolve } from "node:path";
import * as vscode from "vscode";
import * as z from "zod";
import { CONFIG_REQUESTS } from "../../api/config.ts";
import { EXAMPLE_REQUESTS, type ExamplesRequest } from "../../api/examples.ts";
import type { RunEntry } from "../../api/runs.ts";
import type { TextEdit } from "../../core/config/editing/text/textEdit.ts";
import type { JsonObject } from "../../core/json.ts";
import { isWithin } from "../../node/confinement.ts";
import { parseRolloutCondition, unknownConditionField } from "../../shared/rolloutCondition.ts";
import { chooseConfig } from "../config/chooseConfig.ts";
import { applyTextEdits } from "../config/textEdits.ts";
import type { RunList } from "../runs/runList.ts";
import { ask } from "../server/ask.ts";
import type { Server } from "../server/server.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { settingOverrides } from "../vscode/settings.ts";
import { runItem } from "./chooseRun.ts";
import { lastRunText } from "./chooseValidConfig.ts";

export interface DataHandlerOptions {
  readonly store: RunList;
  readonly server: Pick<Server, "request">;
  /** Cache folder for shown example files. */
  readonly examplesFolder: string;
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
  { server, open, examplesFolder: parent }: DataHandlerOptions,
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

const MAX_FILES = 50;
/** Folders with other people's files, or with runs. */
const EXCLUDED = "**/{node_modules,.git,.venv,venv,.tinker-rl}/**";

/** An entry of `data`; undefined if the user dismissed a prompt. */
async function askDataSource(
  config: vscode.Uri,
  runs: readonly RunEntry[],
): Promise<JsonObject | undefined> {
  const files = await vscode.workspace.findFiles("**/*.jsonl", EXCLUDED, MAX_FILES);
  const items = [
    ...files
      .toSorted((a, b) => a.path.localeCompare(b.path))
      .map((uri) => ({
        label: vscode.workspace.asRelativePath(uri),
        description: vscode.l10n.t("conversations"),
        icon: "file",
        path: fromConfig(config, uri.fsPath),
        run: null,
      })),
    ...runs.map((run) => {
      const { label, description } = runItem(run);
      return {
        label,
        description: vscode.l10n.t("rollouts of a run · {0}", description),
        icon: "play-circle",
        path: null,
        run: fromConfig(config, run.folder),
      };
    }),
    { label: vscode.l10n.t("Another File…"), icon: "folder-opened", path: null, run: null },
  ];
  const placeHolder = vscode.l10n.t("What should the model imitate?");
  const options = { placeHolder, matchOnDescription: true };
  const chosen = await plainWindow.showQuickPick(items, options);
  if (chosen === undefined) return undefined;
  if (chosen.run !== null) return await askRollouts(chosen.run);
  if (chosen.path !== null) return { path: chosen.path };
  const file = await browseExamples();
  return file && { path: fromConfig(config, file.fsPath) };
}

/** A file of conversations from anywhere on this computer. */
async function browseExamples(): Promise<vscode.Uri | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t("Conversations as JSONL"),
      openLabel: vscode.l10n.t("Choose"),
      filters: { [vscode.l10n.t("JSONL files")]: ["jsonl"] },
    })) ?? [];
  return file;
}

async function askRollouts(run: string): Promise<JsonObject | undefined> {
  const which: JsonObject | undefined = await askFilter(basename(run));
  if (which === undefined) return undefined;
  const items = [
    { label: vscode.l10n.t("All of a Task"), limit: {} },
    ...[1, 2, 4, 8].map((count) => ({
      label: vscode.l10n.t("At Most {0} of a Task", count),
      description: vscode.l10n.t("those with the highest reward"),
      limit: { max_per_task: count },
    })),
  ];
  const placeHolder = vscode.l10n.t("How many rollouts of the same task?");
  const chosen = await plainWindow.showQuickPick(items, { placeHolder });
  return chosen && { run, ...which, ...chosen.limit };
}

async function askFilter(run: string): Promise<JsonObject | undefined> {
  const items = [
    { label: "reward >= 1", filter: { where: "reward >= 1" } },
    { label: "reward > 0", filter: { where: "reward > 0" } },
    { label: vscode.l10n.t("Starred Ones"), filter: { starred: true } },
    { label: vscode.l10n.t("All That Have a Reward"), filter: {} },
    { label: vscode.l10n.t("Another Condition…"), filter: null },
  ];
  const placeHolder = vscode.l10n.t("Which rollouts of {0}?", run);
  const chosen = await plainWindow.showQuickPick(items, { placeHolder });
  if (chosen === undefined || chosen.filter !== null) return chosen?.filter;
  const where = await plainWindow.showInputBox({
    prompt: vscode.l10n.t(
      "Comparisons of reward, turns, tokens, tool_calls or step, joined by and",
    ),
    value: "reward >= 1 and turns <= 4",
    validateInput: (text) =>
      parseRolloutCondition(text) === null
        ? (unknownConditionField(text) ??
          vscode.l10n.t("Expected comparisons with numbers, such as reward >= 1 and turns <= 4."))
        : null,
  });
  return where === undefined ? undefined : { where };
}

/** Relative to the configuration's folder if the path is inside it. */
function fromConfig(config: vscode.Uri, place: string): string {
  const folder = dirname(config.fsPath);
  if (config.scheme !== "file" || !isWithin(place, folder)) return place;
  return relative(folder, place).replaceAll("\\", "/");
}
