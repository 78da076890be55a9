/** Draws an estimate: tokens by kind, USD and hours as ranges, and what they rest on. */

import * as l10n from "@vscode/l10n";
import type { EstimateRange } from "../core/estimate/estimate.ts";
import type { EstimateReport } from "../core/estimate/report.ts";
import type { TokenKind } from "../core/usage/tokenUsage.ts";
import { formatCost, formatDuration, formatRounded, plural } from "../shared/format.ts";
import { heading, quietLine } from "./show/showContext.ts";
import { type Invocation, shortPath } from "./terminal/invocation.ts";
import { type Line, type LinePiece, labelled, styled } from "./terminal/line.ts";
import { type Column, tableLines } from "./terminal/table.ts";

export function estimateLines(
  report: EstimateReport,
  invocation: Pick<Invocation, "cwd">,
  width: number,
): readonly Line[] {
  return [
    heading(l10n.t("estimate of the training")),
    labelled(l10n.t("plan"), planText(report)),
    ...tableLines(columns(), rows(report), width),
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

function columns(): readonly Column[] {
  return [
    { title: "", align: "left" },
    { title: l10n.t("about"), align: "right" },
    { title: l10n.t("from"), align: "right" },
    { title: l10n.t("to"), align: "right" },
  ];
}

function rows({ estimate }: EstimateReport): readonly (readonly LinePiece[])[] {
  const { tokens, totalTokens, evaluationTokens, costUsd, hours } = estimate;
  const counted = (name: string, range: EstimateRange): readonly LinePiece[] => [
    name,
    ...[range.mean, range.low, range.high].map(formatRounded),
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
            ...[costUsd.mean, costUsd.low, costUsd.high].map((usd) =>
              styled("strong", formatCost(usd)),
            ),
          ],
        ]),
    ...(hours === null
      ? []
      : [
          [l10n.t("time"), "", formatDuration(hours.low * 3600), formatDuration(hours.high * 3600)],
        ]),
  ];
}

/** Budgets that end the run before its plan does. */
function endLines({ estimate, budgets }: EstimateReport): readonly Line[] {
  const { costUsd, totalTokens, hours, steps } = estimate;
  const uses = [
    { key: "max_cost_usd", most: costUsd?.high, budget: budgets.max_cost_usd },
    { key: "max_tokens_total", most: totalTokens.high, budget: budgets.max_tokens_total },
    { key: "max_hours", most: hours?.high, budget: budgets.max_hours },
  ];
  return uses.flatMap(({ key, most, budget }) => {
    if (budget === null || most === undefined || most <= budget) return [];
    const step = Math.max(1, Math.floor((steps * budget) / most));
    return [
      [
        styled(
          "warning",
          l10n.t("{0}: {1} may end the run at step {2} or later.", key, budget, step),
        ),
      ],
    ];
  });
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

function pricesText({ prices }: EstimateReport): string {
  if (prices === null) return l10n.t("unknown: set prices to get USD");
  if (prices.source === "configuration") return l10n.t("from the configuration");
  return l10n.t("the vendor's list of {0}", prices.date ?? "");
}

function reservations({ estimate, restsOn }: EstimateReport): readonly string[] {
  const { unplayed } = estimate;
  if (restsOn.examples !== undefined) {
    return [l10n.t("Each example was counted. Evaluations and time are not part of the estimate.")];
  }
  return [
    ...(unplayed.length === 0
      ? []
      : [l10n.t("{0} was not sampled and is assumed to be like the others.", unplayed.join(", "))]),
    restsOn.run === null
      ? l10n.t(
          "The estimate assumes that the model moves a quarter of the way toward its rewarded rollouts. The ranges cover none to half of the way, and answers that become up to a quarter longer or shorter.",
        )
      : l10n.t("The ranges do not cover differences between this training and that run."),
  ];
}
