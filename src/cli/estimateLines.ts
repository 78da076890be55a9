/** Formats an estimate: tokens by kind, ranges for USD and hours, and what they are based on. */

import * as l10n from "@vscode/l10n";
import { isLocalModel } from "../core/config/fields/presets.ts";
import type { Estimate, EstimateRange } from "../core/estimate/estimate.ts";
import type { EstimateParts, EstimateReport, PartEstimate } from "../core/estimate/report.ts";
import type { TokenKind } from "../core/usage/tokenUsage.ts";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatRounded,
  plural,
} from "../shared/format.ts";
import { type Invocation, shortPath } from "./terminal/invocation.ts";
import {
  BLANK,
  heading,
  type Line,
  type LinePiece,
  labelled,
  quietLine,
  styled,
} from "./terminal/line.ts";
import { type Column, tableLines } from "./terminal/table.ts";

export function estimateLines(
  report: EstimateReport,
  invocation: Pick<Invocation, "cwd">,
  width: number,
): readonly Line[] {
  return [
    heading(l10n.t("estimate")),
    labelled(l10n.t("plan"), planText(report)),
    ...(report.parts === undefined ? [] : partLines(report.parts, width)),
    ...tableLines(columns(report), rows(report), width),
    ...endLines(report),
    labelled(l10n.t("based on"), basisText(report, invocation)),
    labelled(l10n.t("prices"), pricesText(report)),
    ...reservations(report).map(quietLine),
  ];
}

function planText({ estimate, plan, restsOn }: EstimateReport): string {
  const { environments, evaluations } = plan;
  const rollouts = environments.reduce((sum, each) => sum + each.groups * each.rollouts, 0);
  const steps =
    plan.steps === null
      ? l10n.t("no end: estimate for one step")
      : plural(estimate.steps, "{0} step", "{0} steps");
  if (restsOn.examples !== undefined) return steps;
  const played = plural(Math.round(rollouts), "{0} rollout", "{0} rollouts");
  const evaluated = plural(Math.ceil(evaluations.count), "{0} evaluation", "{0} evaluations");
  return [steps, played, ...(evaluations.count === 0 ? [] : [evaluated])].join(", ");
}

/** One row per part; the lines below the table cover all parts. */
function partLines({ kind, estimates }: EstimateParts, width: number): readonly Line[] {
  const right = (title: string): Column => ({ title, align: "right" });
  const hasCosts = estimates.some(({ report }) => report.estimate.costUsd !== null);
  const shown = [
    {
      title: kind === "stages" ? l10n.t("stage") : l10n.t("run"),
      align: "left",
      canShrink: true,
    } as const,
    right(l10n.t("steps")),
    right(l10n.t("all tokens")),
    ...[l10n.t("from"), l10n.t("to")].map(right),
    ...(hasCosts ? [l10n.t("cost"), l10n.t("from"), l10n.t("to")].map(right) : []),
    right(l10n.t("time")),
  ];
  const rows = estimates.map(({ name, report: { estimate } }) => {
    const { steps, totalTokens, costUsd, hours } = estimate;
    const costs = costUsd === null ? ["–", "–", "–"] : numbersOf(costUsd).map(formatCost);
    const [low, high] = [hours?.low, hours?.high].map((own) => formatDuration((own ?? 0) * 3600));
    return [
      name,
      steps === 0 ? "–" : formatCount(steps),
      ...numbersOf(totalTokens).map(formatRounded),
      ...(hasCosts ? costs : []),
      hours === null
        ? "–"
        : low === high
          ? (low ?? "")
          : l10n.t("{0} to {1}", low ?? "", high ?? ""),
    ];
  });
  return [...tableLines(shown, rows, width), BLANK];
}

function numbersOf({ mean, low, high }: EstimateRange): readonly number[] {
  return [mean, low, high];
}

function columns({ parts }: EstimateReport): readonly Column[] {
  const all = parts?.kind === "stages" ? l10n.t("all stages") : l10n.t("all runs");
  return [
    { title: parts === undefined ? "" : all, align: "left" },
    { title: l10n.t("about"), align: "right" },
    { title: l10n.t("from"), align: "right" },
    { title: l10n.t("to"), align: "right" },
  ];
}

function rows({ estimate }: EstimateReport): readonly (readonly LinePiece[])[] {
  const { tokens, totalTokens, evaluationTokens, costUsd, hours } = estimate;
  const counted = (name: string, range: EstimateRange): readonly LinePiece[] => [
    name,
    ...numbersOf(range).map(formatRounded),
  ];
  const kinds: readonly (readonly [TokenKind, string])[] = [
    ["sampled", l10n.t("sampled tokens")],
    ["prefill_cached", l10n.t("cached prompt tokens")],
    ["prefill_uncached", l10n.t("other prompt tokens")],
    ["trained", l10n.t("trained tokens")],
  ];
  return [
    ...kinds.map(([kind, name]) => counted(name, tokens[kind])),
    counted(l10n.t("all tokens"), totalTokens),
    ...(evaluationTokens.mean === 0 ? [] : [counted(l10n.t("evaluations"), evaluationTokens)]),
    ...(costUsd === null
      ? []
      : [
          [
            styled("strong", l10n.t("cost")),
            ...numbersOf(costUsd).map((usd) => styled("strong", formatCost(usd))),
          ],
        ]),
    ...(hours === null
      ? []
      : [
          [l10n.t("time"), "", formatDuration(hours.low * 3600), formatDuration(hours.high * 3600)],
        ]),
  ];
}

type BudgetKey = keyof EstimateReport["budgets"];

/** The upper end of each budgeted quantity. */
const MOST: Readonly<Record<BudgetKey, (estimate: Estimate) => number | undefined>> = {
  max_cost_usd: ({ costUsd }) => costUsd?.high,
  max_tokens_total: ({ totalTokens }) => totalTokens.high,
  max_hours: ({ hours }) => hours?.high,
};

/** Budgets that may end a run early, or run out before the last stage is done. */
function endLines(report: EstimateReport): readonly Line[] {
  const { estimate, budgets, parts } = report;
  if (parts?.kind === "runs") return endsOfRuns(parts.estimates);
  return (Object.keys(MOST) as BudgetKey[]).flatMap((key) => {
    const budget = budgets[key];
    const most = MOST[key](estimate);
    if (budget === null || most === undefined || most <= budget) return [];
    const step = Math.max(1, Math.floor((estimate.steps * budget) / most));
    const text =
      parts === undefined
        ? l10n.t("{0}: {1} may end the run at step {2} or later.", key, budget, step)
        : l10n.t(
            "{0}: {1} of all stages may be used up in stage {2} or later.",
            key,
            budget,
            stageAt(parts.estimates, key, budget),
          );
    return [[styled("warning", text)]];
  });
}

/** Each run of a sweep has budgets of its own. */
function endsOfRuns(runs: readonly PartEstimate[]): readonly Line[] {
  return (Object.keys(MOST) as BudgetKey[]).flatMap((key) => {
    const ended = runs.filter(({ report: { estimate, budgets } }) => {
      return (MOST[key](estimate) ?? 0) > (budgets[key] ?? Number.POSITIVE_INFINITY);
    });
    if (ended.length === 0) return [];
    return [[styled("warning", l10n.t("{0} may end {1} of these runs early.", key, ended.length))]];
  });
}

/** The first stage for which the budget may be used up. */
function stageAt(stages: readonly PartEstimate[], key: BudgetKey, budget: number): string {
  let used = 0;
  const found = stages.find(({ report }) => {
    used += MOST[key](report.estimate) ?? 0;
    return used > budget;
  });
  return found?.name ?? "";
}

function basisText(
  { restsOn: { run, steps, groups, rollouts, examples } }: EstimateReport,
  { cwd }: Pick<Invocation, "cwd">,
): string {
  if (examples !== undefined) return plural(examples, "{0} example", "{0} examples");
  const counted = plural(rollouts, "{0} rollout", "{0} rollouts");
  const inGroups = plural(groups, "{0} group", "{0} groups");
  if (run === null) return l10n.t("{0} in {1}, sampled now", counted, inGroups);
  const ofSteps = plural(steps, "{0} step", "{0} steps");
  return l10n.t("{0} in {1} and {2} of {3}", counted, inGroups, ofSteps, shortPath(run, cwd));
}

function pricesText({ model, prices }: EstimateReport): string {
  if (prices === null) {
    return isLocalModel(model)
      ? l10n.t("none: the model is trained on this computer")
      : l10n.t("unknown: set prices to get USD");
  }
  if (prices.source === "configuration") return l10n.t("from the configuration");
  return l10n.t("the vendor's list of {0}", prices.date ?? "");
}

function reservations(report: EstimateReport): readonly string[] {
  const { parts } = report;
  if (parts === undefined) return reservationsOfRun(report);
  const all = parts.estimates.flatMap((part) => {
    if (part.method !== "sft" || parts.kind === "runs") return reservationsOfRun(part.report);
    return reservationsOfExamples(part.report).map((text) => `${part.name}: ${text}`);
  });
  return [...new Set(all)];
}

/** Caveats for a supervised stage. */
function reservationsOfExamples({ plan, restsOn }: EstimateReport): readonly string[] {
  if (restsOn.examples !== undefined) return [examplesCounted()];
  return [
    l10n.t(
      "Its examples do not exist yet. Each is assumed to be as long as a rollout with more than the lowest reward. Evaluations and time are not part of the estimate.",
    ),
    ...(plan.steps === null
      ? [
          l10n.t(
            "Without max_steps their number decides how many steps it has: the estimate has one.",
          ),
        ]
      : []),
  ];
}

function examplesCounted(): string {
  return l10n.t("Each example was counted. Evaluations and time are not part of the estimate.");
}

function reservationsOfRun({ estimate, restsOn }: EstimateReport): readonly string[] {
  const { unplayed } = estimate;
  if (restsOn.examples !== undefined) {
    return [examplesCounted()];
  }
  return [
    ...(unplayed.length === 0
      ? []
      : [l10n.t("{0} was not sampled and is assumed to be like the others.", unplayed.join(", "))]),
    restsOn.run === null
      ? l10n.t(
          "The estimate assumes that the model moves a quarter of the way toward its rewarded rollouts. The ranges cover none to half of the way, and answers that become up to a quarter longer or shorter.",
        )
      : l10n.t("The ranges do not cover differences between this run and that one."),
  ];
}
