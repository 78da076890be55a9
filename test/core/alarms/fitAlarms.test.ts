import { describe, expect, it } from "vitest";
import { AlarmHistory } from "../../../src/core/alarms/alarmHistory.ts";
import { alarmNotice, evaluateAlarms } from "../../../src/core/alarms/evaluateAlarms.ts";
import { FitHistory, fitMetrics } from "../../../src/core/runFolder/metrics/fitMetrics.ts";
import { type MetricsRow, mergeMetrics } from "../../../src/core/runFolder/metrics/metricsTree.ts";
import { aConfig } from "../training/builders.ts";

/** Alarm begins and ends in a supervised run with these losses and held-out losses by step, and the last notice. */
function watched(losses: readonly number[], heldOut: Readonly<Record<number, number>> = {}) {
  const [history, fit] = [new AlarmHistory(), new FitHistory()];
  const config = aConfig();
  const changes: string[] = [];
  let seen = "";
  for (const [step, loss] of losses.entries()) {
    const measured = heldOut[step] === undefined ? {} : { held_out: { loss: heldOut[step] } };
    const bare: MetricsRow = { step, loss, ...measured };
    fit.add(bare);
    const row = fit.fit === null ? bare : { ...mergeMetrics(bare, fitMetrics(fit.fit)), step };
    const past = history.with(row);
    const states = evaluateAlarms(past, config.alarms);
    for (const state of states) {
      if (state.change !== null) changes.push(`${step} ${state.id} ${state.change}`);
      if (state.change === "begins") seen = alarmNotice(state, past, config)?.seen ?? "";
    }
    const alarm = Object.fromEntries(states.map(({ id, isFiring }) => [id, isFiring ? 1 : 0]));
    history.add({ ...mergeMetrics(row, { alarm }), step });
  }
  return { changes, seen };
}

const falling = Array.from({ length: 60 }, (_, step) => 2 / (step + 1));

describe("a held-out loss", () => {
  it("triggers an alarm when it rises three times in a row while the training loss falls, until it falls", () => {
    const { changes, seen } = watched(falling, { 9: 0.5, 19: 0.6, 29: 0.7, 39: 0.8, 49: 0.4 });
    expect(changes).toEqual(["39 overfitting begins", "51 overfitting ends"]);
    expect(seen).toContain("rose in 3 measurements in a row, from 0.500 to 0.800 (alarm above 2)");
  });

  it("triggers none when it rises less often, or with the training loss", () => {
    expect(watched(falling, { 9: 0.5, 19: 0.6, 29: 0.55, 39: 0.6, 49: 0.7 }).changes).toEqual([]);
    const rising = falling.map((_, step) => 1 + step / 1000);
    expect(watched(rising, { 9: 0.5, 19: 0.6, 29: 0.7, 39: 0.8 }).changes).toEqual([]);
  });
});

describe("a training loss", () => {
  it("above its start triggers an alarm from the sixth step on", () => {
    const { changes, seen } = watched([0.1, ...Array.from({ length: 9 }, () => 6)]);
    expect(changes).toEqual(["5 loss_rise begins"]);
    expect(seen).toBe(
      "The mean loss of the last 3 steps is 6.00, 60.0 times that of the first step (alarm above 1.5 times).",
    );
  });

  it("that rises later also triggers one", () => {
    const diverging = Array.from({ length: 20 }, (_, step) => (step < 12 ? 2 - step / 10 : 4));
    expect(watched(diverging).changes).toEqual(["15 loss_rise begins"]);
  });

  it("triggers none for one hard batch, or for batches that differ little", () => {
    expect(watched(falling.map((loss, step) => (step === 30 ? 2 : loss))).changes).toEqual([]);
    const small = Array.from({ length: 20 }, (_, step) => (step === 0 ? 0.01 : 0.12));
    expect(watched(small).changes).toEqual([]);
  });
});
