/** Evaluates alarms on each metrics row before it is written, and reports alarms that begin and end. */

import type { Trend } from "../../../shared/trend.ts";
import { alarmBegins, alarmEnds } from "../../alarms/alarmEvents.ts";
import { AlarmHistory } from "../../alarms/alarmHistory.ts";
import { ALARMS } from "../../alarms/alarmTable.ts";
import { type AlarmNotice, alarmNotice, evaluateAlarms } from "../../alarms/evaluateAlarms.ts";
import { zeroVariancePolicy } from "../../config/fields/presets.ts";
import type { AlarmId, AlarmsConfig, Config } from "../../config/fields/schema.ts";
import {
  type CheckpointEntry,
  readCheckpoints,
  usableCheckpoints,
} from "../../runFolder/checkpointLog.ts";
import { type MetricsRow, metricAt } from "../../runFolder/metrics/metricsTree.ts";
import { trendMetrics } from "../../runFolder/metrics/trendMetrics.ts";
import type { RunContext } from "../run/context.ts";

export interface EvaluatedRow {
  /** Includes `trend/*`, and `alarm/<id>` as 0 or 1 for each alarm that is on. */
  readonly row: MetricsRow;
  /** Trend of the mean reward. */
  readonly trend: Trend;
  readonly begun: readonly AlarmNotice[];
  readonly ended: readonly AlarmId[];
}

const NO_BUDGETS = { max_cost_usd: null, max_hours: null, max_tokens_total: null };

export class StepAlarms {
  #history: AlarmHistory | null = null;

  /** Records events before the row, so that a crash in between reports them twice rather than never. */
  async evaluate(context: RunContext, bare: MetricsRow): Promise<EvaluatedRow> {
    const { config, reporting, storage } = context;
    this.#history ??= await AlarmHistory.read(storage.fileSystem, storage.folder);
    const trend = this.#history.trendWith(bare);
    // Supervised rows have no rewards.
    const known =
      metricAt(bare, "fit/steps") === null ? { ...bare, trend: trendMetrics(trend) } : bare;
    const past = this.#history.with(known);
    const states = evaluateAlarms(past, thresholds(config));
    // The user did not write a stage's share of a common budget.
    const written = storage.stage === null ? config : { ...config, ...NO_BUDGETS };
    const begins = states.filter(({ change }) => change === "begins");
    const saved = begins.length === 0 ? [] : await this.#usable(context);
    const begun = begins.flatMap((state) => alarmNotice(state, past, written, saved) ?? []);
    const ended = states.flatMap(({ change, id }) => (change === "ends" ? id : []));
    for (const notice of begun) await reporting.events.record(alarmBegins(bare.step, notice));
    for (const id of ended) await reporting.events.record(alarmEnds(bare.step, id));
    const judged = states.filter(({ threshold }) => threshold !== null);
    const alarm = Object.fromEntries(judged.map(({ id, isFiring }) => [id, isFiring ? 1 : 0]));
    const row = { ...known, alarm };
    this.#history.add(row);
    return { row, trend, begun, ended };
  }

  async #usable({ ports, storage }: RunContext): Promise<readonly CheckpointEntry[]> {
    const { fileSystem, folder } = storage;
    return usableCheckpoints(await readCheckpoints(fileSystem, folder), ports.clock.now());
  }
}

/** Groups with equal rewards raise no alarm if the configuration trains on them. */
function thresholds(config: Config): AlarmsConfig {
  const { alarms } = config;
  const { equal_rewards } = alarms;
  return {
    ...alarms,
    equal_rewards: zeroVariancePolicy(config) === "keep" ? null : equal_rewards,
  };
}

/** Notifies watchers after the step's own line, and pauses the run if the configuration asks for it. */
export function applyAlarmActions(
  { config, control, reporting: { watch } }: RunContext,
  { row: { step }, begun, ended }: EvaluatedRow,
): void {
  for (const notice of begun) {
    watch({ kind: "alarm", step, title: ALARMS[notice.id].title, ...notice });
  }
  for (const id of ended) watch({ kind: "alarm-over", step, title: ALARMS[id].title });
  const isCritical = begun.some(({ severity }) => severity === "critical");
  if (!config.pause_on_alarm || !isCritical) return;
  const message = "The run pauses because of this alarm (pause_on_alarm) until you continue it.";
  watch({ kind: "notice", message });
  control.pause();
}
