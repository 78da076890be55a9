/** *Add Data Source…*: asks for a file of conversations, or for a run and which of its rollouts to imitate. */

import { basename, dirname, isAbsolute, relative } from "node:path";
import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import type { JsonObject } from "../../core/json.ts";
import { parseRolloutCondition, unknownConditionField } from "../../shared/rolloutCondition.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { runItem } from "./chooseRun.ts";

const MAX_FILES = 50;
/** Folders with other people's files, or with runs. */
const EXCLUDED = "**/{node_modules,.git,.venv,venv,.tinker-rl}/**";

/** An entry of `data`; undefined if the user dismissed a prompt. */
export async function askDataSource(
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
export async function browseExamples(): Promise<vscode.Uri | undefined> {
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
  const inside = relative(dirname(config.fsPath), place);
  const isBelow = config.scheme === "file" && !inside.startsWith("..") && !isAbsolute(inside);
  return isBelow ? inside.replaceAll("\\", "/") : place;
}
