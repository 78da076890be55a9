/** Requests the timeline of the chosen step or evaluation, and again when it has grown. */

import { useEffect, useState } from "preact/hooks";
import { setName } from "../../../src/shared/rolloutSet.ts";
import { type Timeline, unpackTimeline } from "../../../src/shared/timeline.ts";
import type { DashboardModel } from "../../model/dashboardModel.ts";

export interface ShownTimeline extends Timeline {
  /** Number of rollouts left out. */
  readonly omitted: number;
}

interface Received {
  readonly key: string;
  readonly timeline: ShownTimeline;
}

/** Null until the first answer for the chosen set. Sends one question at a time. */
export function useTimeline(dashboard: DashboardModel): ShownTimeline | null {
  const [received, setReceived] = useState<Received | null>(null);
  const chosen = dashboard.selection.chosen.value;
  const run = dashboard.data.run.value;
  const total = dashboard.selection.rollouts.value?.total ?? 0;
  const generation = dashboard.data.generation.value;
  const name = chosen === null ? null : `${generation}/${setName(chosen)}`;
  const isOver = chosen !== null && (run?.completedSteps ?? 0) > chosen.step;
  const key = `${name} ${total} ${isOver}`;
  const [asked, setAsked] = useState<string | null>(null);
  const isOther = asked === null || !asked.startsWith(`${name} `);
  // While an answer is pending, growth of the same step waits; another step does not.
  const next = isOther || received?.key === asked ? key : asked;
  useEffect(() => {
    if (chosen === null || name === null || next === null) return;
    setAsked(next);
    const { source, step } = chosen;
    return dashboard.host.ask({ ask: "timeline", source, step }, (answer) => {
      if (answer.kind === "timeline") {
        const { omitted } = answer.timeline;
        setReceived({ key: next, timeline: { ...unpackTimeline(answer.timeline), omitted } });
      }
    });
  }, [dashboard, name, next]);
  return received?.key.startsWith(`${name} `) ? received.timeline : null;
}
