/**
 * Trains real runs on the embedded engine that go wrong in known ways, and healthy ones, and replays the alarms over their metrics
 * with the default thresholds: which alarm began at which step. Run: `npm run bench:alarms`, some minutes. Arguments: a folder that
 * keeps the runs, so that another try needs no training, and the folders of further healthy runs.
 */

import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { ALARM_IDS } from "../src/core/alarms/alarmFacts.ts";
import { AlarmHistory } from "../src/core/alarms/alarmHistory.ts";
import { evaluateAlarms } from "../src/core/alarms/evaluateAlarms.ts";
import { alarmFields } from "../src/core/config/fields/alarmFields.ts";
import type { AlarmId, AlarmsConfig } from "../src/core/config/fields/schema.ts";
import { mergeMetrics } from "../src/core/runFolder/metrics/metricsTree.ts";
import { isMetricsRow } from "../src/core/runFolder/reader.ts";
import { ALARM_RUNS, trainedRun } from "./alarmRuns.ts";

interface Replay {
  readonly name: string;
  readonly expected: readonly AlarmId[];
  readonly steps: number;
  /** The step with which each alarm first began. */
  readonly begun: ReadonlyMap<AlarmId, number>;
}

const THRESHOLDS = Object.fromEntries(
  ALARM_IDS.map((id) => [id, alarmFields[id].default]),
) as AlarmsConfig; // the table has each field's default

function replay(folder: string): Pick<Replay, "steps" | "begun"> {
  const history = new AlarmHistory();
  const begun = new Map<AlarmId, number>();
  const lines = readFileSync(join(folder, "metrics.jsonl"), "utf8").trim().split("\n");
  for (const line of lines) {
    const row: unknown = JSON.parse(line);
    if (!isMetricsRow(row)) continue;
    const { alarm: _, ...bare } = row;
    const bareRow = { ...bare, step: row.step };
    const states = evaluateAlarms(history.with(bareRow), THRESHOLDS);
    for (const { id, change } of states) {
      if (change === "begins" && !begun.has(id)) begun.set(id, row.step + 1);
    }
    const alarm = Object.fromEntries(states.map(({ id, isFiring }) => [id, isFiring ? 1 : 0]));
    history.add({ ...mergeMetrics(bareRow, { alarm }), step: row.step });
  }
  return { steps: lines.length, begun };
}

/** On how many healthy runs an alarm fired, and what it did on the runs that have to make it fire. */
function verdict(id: AlarmId, runs: readonly Replay[]): string {
  const healthy = runs.filter(({ expected }) => expected.length === 0);
  const falseAlarms = healthy.filter(({ begun }) => begun.has(id)).map(({ name }) => name);
  const bad = runs.filter(({ expected }) => expected.includes(id));
  const fired = bad.map(({ name, begun }) => {
    const step = begun.get(id);
    return step === undefined ? `MISSED on “${name}”` : `step ${step} on “${name}”`;
  });
  const count = `${falseAlarms.length} of ${healthy.length} healthy runs (aim 0)`;
  return [count, ...falseAlarms.map((name) => `“${name}”`), ...fired].join("; ");
}

const [folder, ...further] = process.argv.slice(2).map((path) => resolve(path));
const parent = folder ?? (await mkdtemp(join(tmpdir(), "tinker-rl-bench-")));
const runs: Replay[] = [];
for (const run of ALARM_RUNS) {
  const { name, expected } = run;
  runs.push({ name, expected, ...replay(await trainedRun(run, parent)) });
}
for (const path of further) runs.push({ name: basename(path), expected: [], ...replay(path) });
for (const { name, expected, steps, begun } of runs) {
  const found = [...begun].map(([id, step]) => `${id} at ${step}`).join(", ");
  const kind = expected.length === 0 ? "healthy" : "bad";
  console.log(`${kind.padEnd(8)}${name.padEnd(42)}${steps} steps: ${found || "none"}`);
}
console.log();
for (const id of ALARM_IDS) console.log(`${id.padEnd(22)}${verdict(id, runs)}`);
