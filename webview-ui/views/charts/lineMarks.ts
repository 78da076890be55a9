/** What happened during a run, as marks on its charts: saves, resumes, other settings, pauses, alarms, skipped steps. */

import { xAfterSteps } from "../../charts/xAxis.ts";
import type { ChartMark, LineMark } from "../../controls/chartMarks.ts";
import type { DashboardModel } from "../../model/dashboardModel.ts";

/** `xs` holds the position of each row on the horizontal axis. */
export function lineMarks(
  { data, view }: Pick<DashboardModel, "data" | "view">,
  xs: Float64Array,
): readonly ChartMark[] {
  const { columns, checkpoints, events } = data;
  const steps = columns.steps();
  const skipped = columns.values("skipped");
  const at = (completed: number): number | null =>
    view.value.xAxis === "step" ? completed : xAfterSteps(completed, steps, xs);
  const lines = (kind: LineMark, completed: readonly number[]): ChartMark[] =>
    [...new Set(completed)].flatMap((count) => {
      const x = count === 0 ? null : at(count);
      return x === null ? [] : [{ kind, x }];
    });
  const saves = checkpoints.value.filter(({ kind }) => kind !== "rolling");
  const resumes = events.value.filter(({ kind, attempt }) => kind === "run-started" && attempt > 1);
  const alarms = events.value.filter(({ kind, level }) => kind === "alarm" && level !== "info");
  const stepsOf = (own: string): readonly number[] =>
    events.value.flatMap(({ kind, step }) => (kind === own && step !== null ? [step] : []));
  return [
    ...lines(
      "checkpoint",
      saves.flatMap(({ best, step }) => (best === null ? [step] : [])),
    ),
    ...lines(
      "best",
      saves.flatMap(({ best, step }) => (best === null ? [] : [step])),
    ),
    ...lines(
      "resume",
      resumes.map(({ step }) => step ?? 0),
    ),
    ...lines("settings", stepsOf("settings-changed")),
    ...lines("pause", [...stepsOf("run-paused"), ...stepsOf("capacity-paused")]),
    ...lines(
      "alarm",
      alarms.map(({ step }) => (step ?? 0) + 1),
    ),
    ...Array.from(xs).flatMap((x, row): ChartMark[] =>
      skipped[row] === 1 ? [{ kind: "skipped", x }] : [],
    ),
  ];
}
