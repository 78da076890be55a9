/** A report as Markdown for a pull request or an issue: the summary, tables, and rewards as a sparkline. */

import { formatCount, formatQuantity, formatReward, sparkline } from "../../shared/format.ts";
import { decidingPointOf } from "../../shared/trendPoint.ts";
import { metricAt } from "../runFolder/metrics/metricsTree.ts";
import {
  environmentReward,
  rewardedEnvironments,
} from "../runFolder/metrics/rewardedEnvironments.ts";
import { changeLines } from "../runFolder/settingEvents.ts";
import { visibleText } from "../util/visibleText.ts";
import type { ReportedSweep, RunInReport, RunsReport } from "./report.ts";
import {
  evaluationRows,
  isOfOneRun,
  runFacts,
  sentenceOf,
  summaryRows,
  sweepTexts,
  type TextTable,
  titleOf,
} from "./reportTables.ts";

/** Width of a line of text. */
const SPARKS = 60;
const MAX_ENVIRONMENTS = 4;

export function reportMarkdown(report: RunsReport): string {
  const { runs, differing, version } = report;
  const isOne = runs.length === 1;
  const parts = [
    `## ${plain(titleOf(report))}`,
    ...(isOne
      ? runs.flatMap((run) => [`**${plain(sentenceOf(run))}**`, plain(runFacts(run).join(" · "))])
      : [table(summaryRows(runs))]),
    ...report.sweeps.flatMap(sweepLines),
    ...runs.flatMap((run) => rewardLines(run, isOne)),
    ...runs.flatMap((run) => alarmLines(run, isOne)),
    ...runs.flatMap((run) => {
      const lines = changeLines(run.facts.settingChanges).map((line) => `- ${plain(line)}`);
      const title = heading("Settings changed during training", run, isOne);
      return lines.length === 0 ? [] : [title, lines.join("\n")];
    }),
    ...(isOne ? [] : ["### Settings that differ", settingsTable(runs, differing)]),
    ...runs.flatMap((run) => {
      const rows = evaluationRows(run);
      return rows.rows.length === 0 ? [] : [heading("Evaluations", run, isOne), table(rows)];
    }),
    ...runs.flatMap((run) => {
      const { note } = run.facts.mark;
      return note === "" ? [] : [heading("Notes", run, isOne), plain(note)];
    }),
    `<sub>Tinker RL ${plain(version)}</sub>`,
  ];
  return `${parts.join("\n\n")}\n`;
}

function sweepLines({ name, ...compared }: ReportedSweep): readonly string[] {
  const { sentence, notes, settings } = sweepTexts(compared);
  const list = settings.map(({ key, text }) => `- ${plain(key)}: ${plain(text)}`);
  return [
    `### Sweep ${plain(name)}`,
    `**${plain(sentence)}**`,
    ...(list.length === 0 ? [] : [list.join("\n")]),
    plain(notes.join(" ")),
  ];
}

/** The mean reward, and that of each environment if there are several. */
function rewardLines(run: RunInReport, isOne: boolean): readonly string[] {
  const of = isOne ? "" : ` of ${plain(run.name)}`;
  const environments = rewardedEnvironments(run.facts.steps.map(({ metrics }) => metrics));
  return [
    rewardLine(run, "rollout/reward/mean", `Mean reward${of}`),
    ...environments
      .slice(0, MAX_ENVIRONMENTS)
      .map((name) => rewardLine(run, environmentReward(name), `In ${plain(name)}${of}`)),
  ].filter((line) => line !== null);
}

/** From the first to the last step in which at least 90% of the rollouts are scored; null for fewer than two such steps. */
function rewardLine(
  { facts: { steps } }: RunInReport,
  metric: string,
  what: string,
): string | null {
  const branch = metric.replace("/reward/mean", "");
  const rewards = steps.flatMap(({ step, metrics }) => {
    const read = (name: string) => metricAt(metrics, name.replace("rollout", branch));
    return decidingPointOf(step, read)?.value ?? [];
  });
  const [first, last] = [rewards[0], rewards.at(-1)];
  if (first === undefined || last === undefined || rewards.length < 2) return null;
  const each = Math.max(1, Math.ceil(rewards.length / SPARKS));
  const means = Array.from({ length: Math.ceil(rewards.length / each) }, (_, index) => {
    const part = rewards.slice(index * each, (index + 1) * each);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
  const blocks = sparkline(means, { low: Math.min(...means), high: Math.max(...means) });
  return `${what}: \`${blocks}\` ${formatReward(first)} → ${formatReward(last)}`;
}

function alarmLines({ name, facts: { alarms } }: RunInReport, isOne: boolean): readonly string[] {
  return alarms.map(({ title, step, seen }) => {
    const where = isOne ? "" : `${name}: `;
    return `> ${plain(`${where}${title}, since step ${formatCount(step)}. ${seen}`)}`;
  });
}

function settingsTable(runs: RunsReport["runs"], differing: RunsReport["differing"]): string {
  if (differing.length === 0) return "All runs have the same settings.";
  const others = differing.filter((setting) => !isOfOneRun(setting));
  const left = differing.length - others.length;
  const rows = others.map(({ key, values }) => [key, ...values.map((value) => value ?? "–")]);
  return [
    ...(rows.length === 0
      ? []
      : [table({ heads: ["Setting", ...runs.map(({ name }) => name)], rows })]),
    ...(left === 0 ? [] : [`${formatQuantity(left, "setting")} that only one run has.`]),
  ].join("\n\n");
}

function heading(title: string, { name }: RunInReport, isOne: boolean): string {
  return `### ${isOne ? title : `${title}: ${plain(name)}`}`;
}

function table({ heads, rows }: TextTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(plain).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Escapes names and notes, so that they cannot contain links, tags, columns or headings. */
function plain(text: string): string {
  const line = visibleText(text).replace(/\s*\n\s*/g, " ");
  return line.replace(/[\\`*_[\]<>|#@]/g, "\\$&");
}
