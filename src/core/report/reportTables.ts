/** Contents of a report's tables as text, shared by HTML and Markdown. */

import {
  formatBounds,
  formatChange,
  formatCost,
  formatCount,
  formatPercent,
  formatQuantity,
  formatReward,
  formatTemperature,
} from "../../shared/format.ts";
import {
  basisText,
  combinationsText,
  effectText,
  leftOutText,
  shortKey,
  sweepSentence,
} from "../../shared/sweepText.ts";
import type { SweepComparison } from "../sweeps/comparedRuns.ts";
import type { RunInReport, RunsReport } from "./report.ts";

export interface TextTable {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function titleOf({ runs }: Pick<RunsReport, "runs">): string {
  const [only] = runs;
  return runs.length === 1 && only !== undefined ? only.name : `Comparison of ${runs.length} runs`;
}

/** Whether the run learns, in one sentence without a period. */
export function sentenceOf({ facts: { run, evaluations } }: RunInReport): string {
  if (run !== null && run.sentence !== null) return run.sentence;
  const { length } = evaluations;
  return length === 0 ? "No step is complete yet" : formatQuantity(length, "evaluation");
}

/** What a run trained, its progress, and what it has used. */
export function runFacts({ facts, startedAtMs }: RunInReport): readonly string[] {
  const { run, model, loraRank } = facts;
  return [
    ...(model === null ? [] : [model]),
    ...(loraRank === null ? [] : [`LoRA rank ${loraRank}`]),
    ...(run === null ? [] : [`${run.phase}, ${stepsText(run)}`]),
    ...(run?.tokens == null ? [] : [formatQuantity(run.tokens, "token")]),
    ...(run?.costUsd == null ? [] : [formatCost(run.costUsd)]),
    ...(startedAtMs === null ? [] : [`started ${minuteOf(startedAtMs)}`]),
  ];
}

export function minuteOf(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function stepsText({ steps, totalSteps }: NonNullable<RunInReport["facts"]["run"]>): string {
  return totalSteps === null
    ? formatQuantity(steps, "step")
    : `${formatCount(steps)} of ${formatQuantity(totalSteps, "step")}`;
}

interface SweepTexts {
  readonly sentence: string;
  readonly notes: readonly string[];
  /** In the order of the effects. */
  readonly settings: readonly { readonly key: string; readonly text: string }[];
}

/** Which setting of a sweep mattered. */
export function sweepTexts({ by, effects }: SweepComparison): SweepTexts {
  const keys = effects.settings.map(({ key }) => key);
  const shown = (key: string): string => shortKey(key, keys);
  const notes = [
    `${basisText(by)} Shares are of the variance, less what chance explains, with 95% confidence intervals.`,
    combinationsText(effects),
    leftOutText(effects),
  ];
  return {
    sentence: sweepSentence(effects, shown),
    notes: notes.filter((note) => note !== null),
    settings: effects.settings.map((effect) => ({
      key: shown(effect.key),
      text: effectText(effect),
    })),
  };
}

/** Number of text columns in the summary. The other columns have numbers. */
export const SUMMARY_TEXTS = 5;

export function summaryRows(runs: readonly RunInReport[]): TextTable {
  return {
    heads: [
      "Run",
      "Progress",
      "Model",
      "State",
      "Started",
      "Last reward",
      "Steps",
      "Tokens",
      "Cost",
    ],
    rows: runs.map((reported) => {
      const { run, model } = reported.facts;
      return [
        reported.name,
        sentenceOf(reported),
        model ?? "–",
        run?.phase ?? "–",
        reported.startedAtMs === null ? "–" : minuteOf(reported.startedAtMs),
        formatReward(run?.reward ?? null),
        run === null ? "–" : formatCount(run.steps),
        run?.tokens == null ? "–" : formatCount(run.tokens),
        run?.costUsd == null ? "–" : formatCost(run.costUsd),
      ];
    }),
  };
}

/** For example, a setting of an environment that no other run has. */
export function isOfOneRun({ values }: RunsReport["differing"][number]): boolean {
  return values.filter((value) => value !== null).length === 1;
}

/** The first column names the weights, the second the tasks. The others have numbers. */
export function evaluationRows({ facts: { evaluations } }: RunInReport): TextTable {
  const ks = [
    ...new Set(
      evaluations.flatMap(({ results }) =>
        results.flatMap(({ passAtK }) => passAtK.map(({ k }) => k)),
      ),
    ),
  ].sort((a, b) => a - b);
  const isCompared = evaluations.some(({ results }) =>
    results.some(({ difference }) => difference !== null),
  );
  const rows = evaluations.flatMap(({ step, model, results }) =>
    results.map((result) => [
      model === null ? `after ${formatQuantity(step, "step")}` : model.name,
      [result.environment, result.split, formatTemperature(result.temperature)].join(", "),
      [formatReward(result.rewardMean), formatBounds(result)].join(" ").trim(),
      ...(isCompared ? [changeText(result)] : []),
      result.successFraction === null ? "–" : formatPercent(result.successFraction),
      ...ks.map((k) => formatReward(result.passAtK.find((each) => each.k === k)?.mean ?? null)),
      formatCount(result.tasks),
      formatCount(result.rollouts),
      formatCount(result.failed),
    ]),
  );
  return {
    heads: [
      "Weights",
      "Tasks of",
      "Reward [95%]",
      ...(isCompared ? ["Change [95%]"] : []),
      "Success",
      ...ks.map((k) => `pass@${k}`),
      "Tasks",
      "Rollouts",
      "Failed",
    ],
    rows,
  };
}

type Result = RunInReport["facts"]["evaluations"][number]["results"][number];

function changeText({ difference }: Result): string {
  if (difference === null || difference.mean === null) return "–";
  return formatChange({ ...difference, mean: difference.mean });
}
