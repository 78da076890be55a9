/** The alarms of supervised runs. A loss that is not finite ends the run by itself. */

import { formatCount, formatMeasure } from "../../shared/format.ts";
import type { AlarmId } from "../config/fields/schema.ts";
import type { Alarm } from "./alarm.ts";
import { slower } from "./alarmEdits.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import type { AlarmPast } from "./alarmHistory.ts";

type FitAlarmId = Extract<AlarmId, "overfitting" | "loss_rise">;

/** The last five do not hold the first one. */
const LEAST_STEPS = 6;
/** In nats a token: batches may differ by less. */
const LEAST_RISE = 0.5;

export const FIT_ALARMS: Readonly<Record<FitAlarmId, Alarm>> = {
  overfitting: {
    title: "The held-out loss rises, the training loss does not",
    severity: "warning",
    fires: "above",
    measure: heldOutRises,
    seen: ({ now, past, value, threshold }) => {
      const points = measuredUntil(now, past);
      const [was, last] = [points.at(-1 - value)?.heldOut, points.at(-1)?.heldOut];
      return `The held-out loss rose in ${formatCount(value)} measurements in a row, from ${formatMeasure(was ?? null)} to ${formatMeasure(last ?? null)} (alarm above ${formatCount(threshold)}).`;
    },
    meaning:
      "The model learns the examples by heart. Go back to the checkpoint before the rise and end there, or train on more examples or with a lower learning rate.",
    edits: slower,
  },
  loss_rise: {
    title: "The training loss is higher than at the start",
    severity: "critical",
    fires: "above",
    measure: lossRatio,
    seen: ({ now: { fit }, value, threshold }) =>
      `The mean loss of the last 5 steps is ${formatMeasure(fit?.now ?? null)}, ${value.toFixed(1)} times that of the first step (alarm above ${threshold} times).`,
    meaning:
      "The updates are too large for the model. Go back to an earlier checkpoint, with a lower learning rate.",
    edits: slower,
  },
};

function measuredUntil({ step }: AlarmFacts, { heldOut }: AlarmPast): AlarmPast["heldOut"] {
  return heldOut.filter((point) => point.step <= step);
}

/** How many of the last measurements in a row found a higher loss; 0 where that of training rose over them. Null before the second. */
function heldOutRises(now: AlarmFacts, past: AlarmPast): number | null {
  const points = measuredUntil(now, past);
  if (points.length < 2) return null;
  const isRise = points.slice(1).map(({ heldOut }, index) => {
    return heldOut > (points[index]?.heldOut ?? heldOut);
  });
  const rises = isRise.length - 1 - isRise.lastIndexOf(false);
  const [from, to] = [points.at(-1 - rises), points.at(-1)];
  return (to?.trained ?? 0) > (from?.trained ?? 0) ? 0 : rises;
}

/** The loss of the last steps as a multiple of the first one; 1 where it rose by little. */
function lossRatio({ fit }: AlarmFacts, { firstLoss }: AlarmPast): number | null {
  if (fit === null || firstLoss === null || fit.steps < LEAST_STEPS) return null;
  return fit.now - firstLoss < LEAST_RISE ? 1 : fit.now / Math.max(firstLoss, LEAST_RISE / 10);
}
