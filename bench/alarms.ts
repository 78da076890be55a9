/**
 * Trains healthy runs and runs that go wrong in known ways on the embedded engine, and replays the alarms over their metrics with
 * default thresholds: how many alarms fire in healthy runs, and at which step bad runs are detected. Conditions that embedded services
 * never produce are planted in the rows of healthy runs. Run: `npm run bench:alarms -- [--runs N] [FOLDER [HEALTHY_RUN …]]`. N: number
 * of healthy runs, default 20; 200 take about an hour on two cores. FOLDER keeps the runs for reuse by the next invocation.
 */

import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ALARM_IDS } from "../src/core/alarms/alarmFacts.ts";
import { AlarmHistory } from "../src/core/alarms/alarmHistory.ts";
import { evaluateAlarms } from "../src/core/alarms/evaluateAlarms.ts";
import { alarmFields } from "../src/core/config/fields/alarmThresholds.ts";
import type { AlarmId, AlarmsConfig } from "../src/core/config/fields/schema.ts";
import {
  type MetricsRow,
  type MetricsTree,
  mergeMetrics,
} from "../src/core/runFolder/metrics/metricsTree.ts";
import { isMetricsRow } from "../src/core/runFolder/reader.ts";
import {
  BAD_RUNS,
  healthyRuns,
  PLANTED_FROM,
  PLANTED_IN,
  PLANTED_ROWS,
  trainedRun,
} from "./alarmRuns.ts";

interface Replay {
  readonly name: string;
  readonly expected: readonly AlarmId[];
  readonly steps: number;
  /** The step at which each alarm first fired. */
  readonly begun: ReadonlyMap<AlarmId, number>;
}

const THRESHOLDS = Object.fromEntries(
  ALARM_IDS.map((id) => [id, alarmFields[id].default]),
) as AlarmsConfig; // the table has each field's default

function readRows(folder: string): readonly MetricsRow[] {
  const lines = readFileSync(join(folder, "metrics.jsonl"), "utf8").trim().split("\n");
  return lines.map((line): unknown => JSON.parse(line)).filter(isMetricsRow);
}

function replay(rows: readonly MetricsRow[]): Pick<Replay, "steps" | "begun"> {
  const history = new AlarmHistory();
  const begun = new Map<AlarmId, number>();
  for (const row of rows) {
    const { alarm: _, ...bare } = row;
    const bareRow = { ...bare, step: row.step };
    const states = evaluateAlarms(history.with(bareRow), THRESHOLDS);
    for (const { id, change } of states) {
      if (change === "begins" && !begun.has(id)) begun.set(id, row.step + 1);
    }
    const alarm = Object.fromEntries(states.map(({ id, isFiring }) => [id, isFiring ? 1 : 0]));
    history.add({ ...mergeMetrics(bareRow, { alarm }), step: row.step });
  }
  return { steps: rows.length, begun };
}

function planted(row: MetricsRow, numbers: Readonly<Record<string, number>>): MetricsRow {
  if (row.step < PLANTED_FROM) return row;
  let changed = row;
  for (const [name, value] of Object.entries(numbers)) {
    const tree = name
      .split("/")
      .reduceRight<MetricsTree | number>((inner, key) => ({ [key]: inner }), value);
    // A metric name has at least one part, so the value is in a tree.
    changed = { ...mergeMetrics(changed, tree as MetricsTree), step: row.step };
  }
  return changed;
}

/** How often an alarm fires in healthy runs, and at which step in runs that must trigger it. */
function verdict(id: AlarmId, runs: readonly Replay[]): string {
  const healthy = runs.filter(({ expected }) => expected.length === 0);
  const falseAlarms = healthy.filter(({ begun }) => begun.has(id));
  const bad = runs.filter(({ expected }) => expected.includes(id));
  const found = bad.filter(({ begun }) => begun.has(id));
  const steps = found.map(({ name, begun }) => `step ${begun.get(id)} on “${name}”`);
  const missed = bad.filter((run) => !found.includes(run)).map(({ name }) => `MISSED “${name}”`);
  const counts = `${falseAlarms.length} of ${healthy.length} healthy, found ${found.length} of ${bad.length}`;
  return [counts, ...falseAlarms.map(({ name }) => `“${name}”`), ...steps, ...missed].join("; ");
}

// As in the trainer: every rollout listens for the end of its run.
setMaxListeners(0);
const { values, positionals } = parseArgs({
  options: { runs: { type: "string", default: "20" } },
  allowPositionals: true,
});
const [folder, ...further] = positionals.map((path) => resolve(path));
const parent = folder ?? (await mkdtemp(join(tmpdir(), "tinker-rl-bench-")));
const runs: Replay[] = [];
const began = Date.now();
for (const run of [...BAD_RUNS, ...healthyRuns(Number(values.runs))]) {
  const { name, expected } = run;
  const rows = readRows(await trainedRun(run, parent));
  runs.push({ name, expected, ...replay(rows) });
  if (name !== PLANTED_IN) continue;
  for (const [id, numbers] of Object.entries(PLANTED_ROWS)) {
    const own = replay(rows.map((row) => planted(row, numbers)));
    // The record's own keys.
    runs.push({
      name: `planted from step ${PLANTED_FROM + 1}: ${id}`,
      expected: [id as AlarmId],
      ...own,
    });
  }
}
for (const path of further) {
  runs.push({ name: basename(path), expected: [], ...replay(readRows(path)) });
}
for (const { name, expected, steps, begun } of runs) {
  const found = [...begun].map(([id, step]) => `${id} at ${step}`).join(", ");
  const kind = expected.length === 0 ? "healthy" : "bad";
  console.log(`${kind.padEnd(8)}${name.padEnd(46)}${steps} steps: ${found || "none"}`);
}
const healthy = runs.filter(({ expected }) => expected.length === 0);
const fired = healthy.reduce((sum, { begun }) => sum + begun.size, 0);
console.log(
  `\n${(fired / healthy.length).toFixed(3)} alarms per healthy run (aim under 0.05): ${fired} in ${healthy.length} runs, ${Math.round((Date.now() - began) / 1000)} s`,
);
for (const id of ALARM_IDS) console.log(`${id.padEnd(22)}${verdict(id, runs)}`);
