/** Asks on which tasks to evaluate a checkpoint; Enter accepts the configured ones. */

import * as vscode from "vscode";
import { findEnvironment } from "../../core/config/editing/catalogue/catalogue.ts";
import {
  environmentNames,
  environmentServer,
} from "../../core/config/fields/environmentServers.ts";
import { evaluationFields } from "../../core/config/fields/evaluationFields.ts";
import type { Config, EvaluationConfig } from "../../core/config/fields/schema.ts";
import type { SplitChoice } from "../../core/config/taskChoices.ts";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import type { EnvironmentLists } from "../catalogue/environmentLists.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { configOfRun } from "./configOfRun.ts";

/** Knows splits that the configuration does not name. */
export type KnownSplits = Pick<EnvironmentLists, "current" | "ready">;

type Amounts = Pick<EvaluationConfig, "num_samples" | "rollouts_per_task">;

const { num_samples: samples, rollouts_per_task: rollouts } = evaluationFields;
const DEFAULTS: Amounts = { num_samples: samples.default, rollouts_per_task: rollouts.default };

/** Changes to the run's configuration for the evaluation, by dotted key; undefined if the user dismissed a prompt. */
export async function askEvaluation(
  folder: string,
  catalogue: KnownSplits,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const config = await configOfRun(folder);
  const { evaluation } = config;
  if (evaluation !== null) {
    const items = [
      {
        label: vscode.l10n.t("Evaluate as Configured"),
        description: describe(evaluation),
        isChanged: false,
      },
      {
        label: vscode.l10n.t("Change…"),
        description: vscode.l10n.t("splits, tasks and rollouts"),
        isChanged: true,
      },
    ];
    const placeHolder = vscode.l10n.t("On which tasks?");
    const picked = await plainWindow.showQuickPick(items, { placeHolder, ignoreFocusOut: true });
    if (picked?.isChanged !== true) return picked === undefined ? undefined : {};
  }
  const splits = await askSplits(config, catalogue);
  if (splits === undefined) return undefined;
  const amounts = await askAmounts(evaluation ?? DEFAULTS);
  if (amounts === undefined) return undefined;
  return withoutUndefined({
    "evaluation.splits": splits,
    "evaluation.num_samples": amounts.num_samples,
    "evaluation.rollouts_per_task": amounts.rollouts_per_task,
    // It may refer to a split that is not evaluated here, and nothing is saved anyway.
    save_best: config.save_best === null ? undefined : null,
  });
}

function describe(evaluation: EvaluationConfig): string {
  const names = Object.values(evaluation.splits).flat();
  return `${[...new Set(names)].join(", ")}: ${amountsText(evaluation)}`;
}

/** In the form that users type: tasks per split × rollouts per task. */
function amountsText({ num_samples: tasks, rollouts_per_task: each }: Amounts): string {
  return tasks === null
    ? vscode.l10n.t("all tasks × {0}", each)
    : vscode.l10n.t("{0} tasks × {1}", tasks, each);
}

/** By environment; undefined if the user dismissed the prompt or selected none. */
async function askSplits(
  config: Config,
  catalogue: KnownSplits,
): Promise<Readonly<Record<string, readonly string[]>> | undefined> {
  await catalogue.ready();
  const items = environmentNames(config).flatMap((name) => splitItems(config, name, catalogue));
  // Without other tasks, Enter accepts those that are trained on, as their rows say.
  const isPreset = items.some(({ picked }) => picked);
  const shown = isPreset ? items : items.map((item) => ({ ...item, picked: true }));
  const placeHolder = vscode.l10n.t("Which splits?");
  const options = { placeHolder, ignoreFocusOut: true };
  const picked = await plainWindow.showQuickPickMany(shown, options);
  return picked === undefined || picked.length === 0 ? undefined : byEnvironment(picked);
}

/** Preset to the configured splits, or else to the first one that is not trained on. */
function splitItems(config: Config, environment: string, catalogue: KnownSplits) {
  const trained = Object.keys(config.environments[environment]?.splits ?? {});
  const evaluated = config.evaluation?.splits[environment] ?? [];
  const { kind } = environmentServer(config, environment);
  // The catalogue has no environments of the user's own servers.
  const isListed = kind === "embedded" || kind === "shared";
  const entry = isListed ? findEnvironment(catalogue.current(), environment) : null;
  const known = entry?.splits?.map(({ name }) => name) ?? [];
  const isTrained = (split: string): boolean => config.method !== "sft" && trained.includes(split);
  const splits = [...new Set([...trained, ...evaluated, ...known])];
  const first = splits.find((split) => !isTrained(split));
  return splits.map((split) => ({
    label: split,
    description: isTrained(split)
      ? vscode.l10n.t("{0} · the run trains on these tasks", environment)
      : environment,
    picked: config.evaluation === null ? split === first : evaluated.includes(split),
    choice: { environment, split },
  }));
}

function byEnvironment(
  picked: readonly { readonly choice: SplitChoice }[],
): Readonly<Record<string, readonly string[]>> {
  const names = new Set(picked.map(({ choice }) => choice.environment));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      picked.flatMap(({ choice }) => (choice.environment === name ? [choice.split] : [])),
    ]),
  );
}

/** `8 × 2`, or `all × 1`. */
const AMOUNTS = /^(?<tasks>[1-9]\d{0,8}|all)\s*[×x*]\s*(?<each>[1-9]\d{0,5})$/i;

/** Undefined if the user dismissed the prompt. */
async function askAmounts(now: Amounts): Promise<Amounts | undefined> {
  const text = await plainWindow.showInputBox({
    prompt: vscode.l10n.t("Tasks per split (a number or all) × rollouts per task"),
    value: `${now.num_samples ?? "all"} × ${now.rollouts_per_task}`,
    ignoreFocusOut: true,
    validateInput: (typed) =>
      AMOUNTS.test(typed.trim())
        ? null
        : vscode.l10n.t("Enter two numbers of at least 1, such as 8 × 2 or all × 1."),
  });
  const { tasks = "", each = "" } = AMOUNTS.exec(text?.trim() ?? "")?.groups ?? {};
  if (each === "") return undefined;
  const isAll = tasks.toLowerCase() === "all";
  return { num_samples: isAll ? null : Number(tasks), rollouts_per_task: Number(each) };
}
