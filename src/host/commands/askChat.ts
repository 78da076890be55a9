/** Prompts before a conversation: a task or none, and models to compare. */

import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import { taskChoices } from "../../core/config/taskChoices.ts";
import { formatCount } from "../../shared/format.ts";
import type { ChatSubject } from "../chat/chatPanels.ts";
import type { RunList } from "../runs/runList.ts";
import type { SavedSource } from "../views/savedCheckpoints.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { configOfRun } from "./configOfRun.ts";

interface Task {
  readonly environment: string;
  readonly split: string;
  /** From 0. */
  readonly index: number;
}

/** Null for no task; undefined if the user dismissed a prompt. */
export async function askTask({ folder }: ChatSubject["run"]): Promise<Task | null | undefined> {
  const choices = taskChoices(await configOfRun(folder));
  const free = {
    icon: "comment",
    label: vscode.l10n.t("Free Conversation"),
    description: vscode.l10n.t("without tools"),
    choice: null,
  };
  const items = choices.map((choice) => ({
    icon: "tools",
    label: vscode.l10n.t("Task of {0}", choice.environment),
    description: choice.split,
    choice,
  }));
  const placeHolder = vscode.l10n.t("What does the conversation begin with?");
  const picked = await plainWindow.showQuickPick([free, ...items], { placeHolder });
  if (picked === undefined || picked.choice === null) return picked?.choice;
  const index = await askTaskNumber(picked.choice.split);
  return index === null ? undefined : { ...picked.choice, index };
}

/** Null if the user dismissed the prompt. */
export async function askTaskNumber(split: string, value = 0): Promise<number | null> {
  const isNumber = (text: string): boolean => /^\d{1,15}$/.test(text.trim());
  const text = await plainWindow.showInputBox({
    prompt: vscode.l10n.t("Number of the task in the split {0}, from 0", split),
    value: String(value),
    validateInput: (typed) =>
      isNumber(typed) ? null : vscode.l10n.t("Enter a whole number, 0 or more."),
  });
  return text === undefined || !isNumber(text) ? null : Number(text);
}

/** True for a run that can have weights of its own. */
export function isTraining({ file }: RunEntry): boolean {
  return file !== null && file.evaluation === undefined;
}

export interface AskBesideOptions {
  readonly store: RunList;
  readonly saved: Pick<SavedSource, "usable">;
}

/** More would not fit side by side, and a service would be queried for all at once. */
const MAX_BESIDE = 3;

/** Undefined if the user dismissed the prompt. */
export async function askBeside(
  { store, saved }: AskBesideOptions,
  subject: ChatSubject,
): Promise<ChatSubject | undefined> {
  const { run, start } = subject;
  const [first = run.folder] = start.targets;
  const { model_name: model } = await configOfRun(run.folder);
  const usable = (await saved.usable(run.folder))
    .filter(({ sampler_path }) => sampler_path !== null)
    // The run's folder stands for the newest checkpoint.
    .slice(first === run.folder ? 1 : 0);
  const items = [
    { label: model, description: vscode.l10n.t("before training"), target: model },
    ...usable.map(({ step, kind, sampler_path }) => ({
      label: vscode.l10n.t("{0} · step {1}", run.name, formatCount(step)),
      description: kind,
      target: sampler_path ?? "",
    })),
    ...store.runs
      .filter((other) => isTraining(other) && other.folder !== run.folder)
      .map(({ folder: target, name: label }) => {
        return { label, description: vscode.l10n.t("newest checkpoint"), target };
      }),
  ].filter(({ target }) => target !== first);
  const placeHolder = vscode.l10n.t(
    "Which models should be compared? The conversation starts over with the same messages for all.",
  );
  const picked = await plainWindow.showQuickPickMany(
    items.map((item) => ({ ...item, picked: start.targets.includes(item.target) })),
    { placeHolder },
  );
  if (picked === undefined) return undefined;
  if (picked.length > MAX_BESIDE) {
    throw new Error(vscode.l10n.t("Choose at most {0} models.", MAX_BESIDE));
  }
  const targets = [first, ...picked.map(({ target }) => target)] as const;
  return { ...subject, start: { ...start, targets } };
}

/** @throws Error if the run's configuration is no longer valid */
