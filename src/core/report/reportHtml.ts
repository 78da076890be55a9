/** A report as one HTML file without scripts or external resources. Follows the system's color scheme and can be printed. */

import { chartSvg } from "../../shared/chartsSvg.ts";
import { escapeMarkup } from "../../shared/escapeMarkup.ts";
import { formatCount, formatQuantity, formatReward, formatSigned } from "../../shared/format.ts";
import { formatTick } from "../../shared/formatTick.ts";
import { resultRange, sweepPlot, sweepPlotSvg } from "../../shared/sweepPlot.ts";
import { changeLines } from "../runFolder/settingEvents.ts";
import { visibleText } from "../util/visibleText.ts";
import type { ReportedRollout, ReportedSweep, RunInReport, RunsReport } from "./report.ts";
import { lineLook, type ReportChart, type ReportSection, reportCharts } from "./reportCharts.ts";
import {
  evaluationRows,
  isOfOneRun,
  minuteOf,
  runFacts,
  SUMMARY_TEXTS,
  sentenceOf,
  summaryRows,
  sweepTexts,
  titleOf,
} from "./reportTables.ts";

/** Near the beginning of every report. */
export const REPORT_MARK = '<meta name="generator" content="Tinker RL';
const WIDE = { width: 1060, height: 300 };
const NARROW = { width: 520, height: 220 };
const SWEEP = { width: 520, height: 200 };
const SWEEP_COLORS = { quiet: "var(--quiet)", point: "var(--line-0)", mean: "var(--text)" };
/** Limits long texts, because a tool may return megabytes. */
const MAX_TEXT = 6_000;
/** Maximum number of turns shown per rollout. */
const MAX_TURNS = 40;
const QUIET = { quiet: "var(--quiet)" };

const STYLE = `
:root { color-scheme: light dark; --back: #ffffff; --text: #1f2328; --quiet: #59636e; --rule: #d1d9e0; --soft: #f6f8fa; --good: #1a7f37; --bad: #cf222e; --warn: #9a6700;
  --line-0: #0969da; --line-1: #bc4c00; --line-2: #1a7f37; --line-3: #8250df; --line-4: #9a6700; --line-5: #cf222e; --line-6: #1b7c83; --line-7: #bf3989; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #f0f6fc; --quiet: #9198a1; --rule: #3d444d; --soft: #151b23; --good: #3fb950; --bad: #f85149; --warn: #d29922;
  --line-0: #4493f8; --line-1: #f0883e; --line-2: #3fb950; --line-3: #ab7df8; --line-4: #d29922; --line-5: #f85149; --line-6: #39c5cf; --line-7: #db61a2; } }
@media print { :root { color-scheme: light; } details { break-inside: avoid; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1140px; padding: 32px 40px 64px; background: var(--back); color: var(--text); font: 14px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 4px; font-weight: 600; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 40px 0 12px; padding-bottom: 6px; border-bottom: 1px solid var(--rule); font-weight: 600; }
h3 { font-size: 14px; margin: 0 0 4px; font-weight: 600; overflow-wrap: anywhere; }
p { margin: 4px 0; }
.quiet { color: var(--quiet); }
.sentence { font-size: 17px; margin: 12px 0 0; }
.alarm { border-left: 3px solid var(--warn); padding: 2px 0 2px 12px; margin: 12px 0; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 5px 16px 5px 0; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; color: var(--quiet); }
td.number, th.number { text-align: right; }
td.value { overflow-wrap: anywhere; min-width: 6em; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 480px), 1fr)); gap: 24px 20px; }
figure { margin: 0; min-width: 0; }
figure.wide { grid-column: 1 / -1; }
figcaption { font-weight: 600; }
svg { display: block; width: 100%; height: auto; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; font-weight: 400; color: var(--quiet); }
.swatch { display: inline-block; width: 20px; height: 8px; margin-right: 6px; }
details { border: 1px solid var(--rule); border-radius: 6px; margin: 8px 0; }
summary { padding: 8px 12px; cursor: pointer; overflow-wrap: anywhere; }
details > div { padding: 0 12px 12px; }
pre { background: var(--soft); border-radius: 6px; margin: 4px 0 12px; padding: 8px 12px; white-space: pre-wrap; overflow-wrap: anywhere; font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace; }
.label { color: var(--quiet); font-size: 12px; margin: 8px 0 0; }
.error { color: var(--bad); }
footer { margin-top: 48px; color: var(--quiet); font-size: 12px; }
`;

/** Texts of models and environments are escaped. */
export function reportHtml(report: RunsReport): string {
  const { runs, version, writtenAtMs } = report;
  const title = titleOf(report);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
${REPORT_MARK} ${shown(version)}">
<title>${shown(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${shown(title)}</h1>
${runs.length === 1 ? runs.map(oneRunHead).join("") : ""}
</header>
<main>
${[
  runs.length > 1 ? summaryPart(report) : "",
  ...report.sweeps.map(sweepPart),
  ...runs.map((run) => alarmsPart(run, runs.length > 1)),
  ...reportCharts(report).map((section, index) => chartsPart(section, runs, index === 0)),
  ...runs.map((run) => changedPart(run, runs.length > 1)),
  settingsPart(report),
  ...runs.map((run) => evaluationsPart(run, runs.length > 1)),
  ...runs.map((run) => notesPart(run, runs.length > 1)),
  ...runs.map((run) => rolloutsPart(run, runs.length > 1)),
  ...runs.map((run) => configurationPart(run, runs.length > 1)),
]
  .filter((part) => part !== "")
  .join("\n")}
</main>
<footer>Written by Tinker RL ${shown(version)} on ${minuteOf(writtenAtMs)}.</footer>
</body>
</html>
`;
}

function oneRunHead(run: RunInReport): string {
  return `<p class="quiet">${runFacts(run).map(shown).join(" · ")}</p>
<p class="sentence">${shown(sentenceOf(run))}</p>`;
}

function summaryPart({ runs }: RunsReport): string {
  const { heads, rows } = summaryRows(runs);
  const isNumber = (column: number): string => (column < SUMMARY_TEXTS ? "" : ' class="number"');
  const body = rows.map((cells, index) => {
    const row = cells.map((cell, column) => {
      const look = column === 0 ? swatch(index) : "";
      return `<td${isNumber(column)}>${look}${shown(cell)}</td>`;
    });
    return `<tr>${row.join("")}</tr>`;
  });
  const head = heads.map((cell, column) => `<th${isNumber(column)}>${cell}</th>`);
  return `<h2>Runs</h2>
<div class="table"><table><thead><tr>${head.join("")}</tr></thead><tbody>${body.join("\n")}</tbody></table></div>`;
}

function sweepPart({ name, ...compared }: ReportedSweep): string {
  const { sentence, notes, settings } = sweepTexts(compared);
  const { effects } = compared;
  const figures = effects.settings.map((effect, index) => {
    const { key = "", text = "" } = settings[index] ?? {};
    const plot = sweepPlot(effect, resultRange(effects), SWEEP, visibleText);
    const svg = sweepPlotSvg(plot, visibleText(`${key}: ${text}`), SWEEP_COLORS, formatTick);
    return `<figure><figcaption>${shown(key)} <span class="quiet">${shown(text)}</span></figcaption>${svg}</figure>`;
  });
  return `<h2>Sweep ${shown(name)}</h2>
<p class="sentence">${shown(sentence)}</p>
${notes.map((note) => `<p class="quiet">${shown(note)}</p>`).join("\n")}
<div class="charts">\n${figures.join("\n")}\n</div>`;
}

function alarmsPart({ name, facts: { alarms } }: RunInReport, isOneOfSeveral: boolean): string {
  return alarms
    .map(({ title, step, seen, meaning, edits }) => {
      const where = isOneOfSeveral ? `${name}: ` : "";
      const next =
        edits.length === 0
          ? ""
          : `<p>Try ${edits.map((edit) => `<code>${shown(edit)}</code>`).join(", ")}</p>`;
      return `<div class="alarm"><h3>${shown(`${where}${title}, since step ${formatCount(step)}`)}</h3><p>${shown(seen)} ${shown(meaning)}</p>${next}</div>`;
    })
    .join("\n");
}

function chartsPart(
  { title, charts }: ReportSection,
  runs: readonly RunInReport[],
  isFirst: boolean,
): string {
  const figures = charts.map((chart, index) => figure(chart, isFirst && index === 0));
  const names = runs.map(({ name }, index) => `<span>${swatch(index)}${shown(name)}</span>`);
  const legend = runs.length < 2 ? "" : `<p class="legend">${names.join("")}</p>\n`;
  return `<h2>${shown(title)}</h2>\n${legend}<div class="charts">\n${figures.join("\n")}\n</div>`;
}

function figure(chart: ReportChart, isWide: boolean): string {
  const legend = chart.hasLegend
    ? `<span class="legend">${chart.lines.map(({ label, color }) => `<span><span class="swatch" style="background:${color}"></span>${shown(label)}</span>`).join("")}</span>`
    : "";
  const svg = chartSvg(chart, isWide ? WIDE : NARROW, QUIET);
  return `<figure${isWide ? ' class="wide"' : ""}><figcaption>${shown(chart.title)}${legend}</figcaption>${svg}</figure>`;
}

function changedPart(run: RunInReport, isOneOfSeveral: boolean): string {
  const lines = changeLines(run.facts.settingChanges);
  if (lines.length === 0) return "";
  const items = lines.map((line) => `<li>${shown(line)}</li>`).join("\n");
  return `<h2>${heading("Settings changed during training", run, isOneOfSeveral)}</h2>\n<ul>\n${items}\n</ul>`;
}

function settingsPart({ runs, differing }: RunsReport): string {
  if (runs.length < 2) return "";
  if (differing.length === 0) return `<h2>Settings</h2>\n<p>All runs have the same settings.</p>`;
  const head = runs.map(({ name }, index) => `<th>${swatch(index)}${shown(name)}</th>`).join("");
  const table = (part: RunsReport["differing"]): string => {
    const rows = part.map(
      ({ key, values }) =>
        `<tr><td><code>${shown(key)}</code></td>${values.map((value) => `<td class="value">${value === null ? "–" : shown(value)}</td>`).join("")}</tr>`,
    );
    return `<div class="table"><table><thead><tr><th>Setting</th>${head}</tr></thead><tbody>${rows.join("\n")}</tbody></table></div>`;
  };
  const alone = differing.filter(isOfOneRun);
  const others = differing.filter((setting) => !isOfOneRun(setting));
  const folded = `<details><summary>${formatQuantity(alone.length, "setting")} that only one run has, such as those of its environment</summary><div>${table(alone)}</div></details>`;
  return `<h2>Settings that differ</h2>
${others.length === 0 ? "" : table(others)}${alone.length === 0 ? "" : folded}`;
}

function evaluationsPart(run: RunInReport, isOneOfSeveral: boolean): string {
  const { heads, rows } = evaluationRows(run);
  if (rows.length === 0) return "";
  const isNumber = (column: number): string => (column < 2 ? "" : ' class="number"');
  const body = rows.map(
    (cells) =>
      `<tr>${cells.map((cell, column) => `<td${isNumber(column)}>${shown(cell)}</td>`).join("")}</tr>`,
  );
  const head = heads.map((cell, column) => `<th${isNumber(column)}>${shown(cell)}</th>`);
  return `<h2>${heading("Evaluations", run, isOneOfSeveral)}</h2>
<p class="quiet">Mean reward with its 95% confidence interval; the change is that from the first evaluation, task by task.</p>
<div class="table"><table><thead><tr>${head.join("")}</tr></thead><tbody>${body.join("\n")}</tbody></table></div>`;
}

function notesPart(run: RunInReport, isOneOfSeveral: boolean): string {
  const { note, tags } = run.facts.mark;
  if (note === "" && tags.length === 0) return "";
  const tagged = tags.length === 0 ? "" : `<p class="quiet">${tags.map(shown).join(", ")}</p>`;
  const text = note === "" ? "" : `<pre>${shown(cut(note))}</pre>`;
  return `<h2>${heading("Notes", run, isOneOfSeveral)}</h2>\n${tagged}${text}`;
}

function rolloutsPart(run: RunInReport, isOneOfSeveral: boolean): string {
  if (run.rollouts.length === 0) return "";
  return `<h2>${heading("Rollouts", run, isOneOfSeveral)}</h2>\n${run.rollouts.map(rolloutPart).join("\n")}`;
}

function rolloutPart({ reason, source, step, trajectory }: ReportedRollout): string {
  const { group, rollout, environment, split, index, reward, advantage, stop, error } = trajectory;
  const where =
    source === "training"
      ? `step ${formatCount(step)}`
      : `evaluation after ${formatQuantity(step, "step")}`;
  const reasons = { best: "Best", worst: "Worst", starred: "Starred" };
  const facts = [
    `${reasons[reason]} of ${where}`,
    `${environment}, ${split} ${index}`,
    `rollout ${group}.${rollout}`,
    reward === null ? "failed" : `reward ${formatReward(reward)}`,
    ...(advantage === null ? [] : [`advantage ${formatSigned(advantage)}`]),
  ];
  const turns = trajectory.turns.slice(0, MAX_TURNS);
  const left = trajectory.turns.length - turns.length;
  const parts = [
    ...(trajectory.systemText === null ? [] : [textPart("System", trajectory.systemText)]),
    textPart("Prompt", trajectory.promptText),
    ...turns.map(turnPart),
    ...(left > 0 ? [`<p class="quiet">${formatQuantity(left, "more turn")}.</p>`] : []),
    ...(trajectory.mark.note === "" ? [] : [textPart("Note", trajectory.mark.note)]),
    `<p class="label">Ended: ${shown(stop)}${error === null ? "" : `. <span class="error">${shown(cut(error))}</span>`}</p>`,
  ];
  return `<details><summary>${shown(facts.join(" · "))}</summary><div>${parts.join("\n")}</div></details>`;
}

function turnPart(turn: ReportedRollout["trajectory"]["turns"][number], index: number): string {
  const { asked, reasoning, content, calls, unreadableCalls, results, answered } = turn;
  return [
    `<h3>Turn ${index + 1}</h3>`,
    ...(asked === undefined ? [] : [textPart("Prompt", asked)]),
    ...(reasoning === null ? [] : [textPart("Thinking", reasoning)]),
    ...(content.trim() === "" ? [] : [textPart("Model", content.trim())]),
    ...calls.map(({ name, arguments: given }) => textPart(`Call of ${name}`, given)),
    ...unreadableCalls.map(({ text, problem }) => textPart(`Unreadable call: ${problem}`, text)),
    ...results.map(({ name, text, isError, reward }) => {
      const what = isError ? "Tool error" : "Result";
      const paid = reward === null ? "" : `, reward ${formatReward(reward)}`;
      return textPart(`${what} of ${name}${paid}`, text);
    }),
    ...(answered === null ? [] : [textPart("Sent to the model", answered)]),
  ].join("\n");
}

function textPart(label: string, text: string): string {
  return `<p class="label">${shown(label)}</p><pre>${shown(cut(text))}</pre>`;
}

function configurationPart(run: RunInReport, isOneOfSeveral: boolean): string {
  if (run.settings.size === 0) return "";
  const rows = [...run.settings].map(
    ([key, value]) =>
      `<tr><td><code>${shown(key)}</code></td><td class="value">${shown(value)}</td></tr>`,
  );
  const title = isOneOfSeveral ? `Configuration of ${run.name}` : "Configuration";
  return `<details><summary>${shown(title)}</summary><div class="table"><table><tbody>${rows.join("\n")}</tbody></table></div></details>`;
}

function heading(title: string, { name }: RunInReport, isOneOfSeveral: boolean): string {
  return shown(isOneOfSeveral ? `${title}: ${name}` : title);
}

function swatch(index: number): string {
  return `<span class="swatch" style="background:${lineLook(index).color}"></span>`;
}

function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const left = text.length - MAX_TEXT;
  return `${text.slice(0, MAX_TEXT)}… (${formatQuantity(left, "more character")})`;
}

/** Also makes invisible characters visible, because some change the text direction. */
function shown(text: string): string {
  return escapeMarkup(visibleText(text));
}
