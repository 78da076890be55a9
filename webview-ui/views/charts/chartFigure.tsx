/** A chart of the shown run: its rows are steps, and it shares the zoom of all charts. */

import * as l10n from "@vscode/l10n";
import { useMemo, useRef } from "preact/hooks";
import { countNotPositive } from "../../../src/shared/chartScale.ts";
import { formatCount, plural } from "../../../src/shared/format.ts";
import { sum } from "../../../src/shared/mean.ts";
import { nearestSave } from "../../../src/shared/nearestSave.ts";
import { withoutUndefined } from "../../../src/shared/withoutUndefined.ts";
import type { MenuItem } from "../../controls/menu.tsx";
import { Plot, type PlotActions, type PlotProps } from "../../controls/plot.tsx";
import { cellTitle } from "../../controls/setTitle.ts";
import type { DashboardModel } from "../../model/dashboardModel.ts";
import { openEvaluation } from "../../model/evaluationCell.ts";
import { strings } from "../../strings/strings.ts";
import { visibleLine } from "../../text/visible.ts";

interface ChartFigureProps extends Omit<PlotProps, "actions" | "syncKey"> {
  readonly dashboard: DashboardModel;
  /** Maps a row to its step, counted from 0. */
  readonly stepOf: (row: number) => number | undefined;
}

export function ChartFigure({ dashboard, stepOf, ...props }: ChartFigureProps) {
  const { isSmall = false } = props;
  const latest = useRef(stepOf);
  latest.current = stepOf;
  const actions = useMemo(
    () => stepActions(dashboard, isSmall, (row) => latest.current(row)),
    [dashboard, isSmall],
  );
  return <Plot {...props} syncKey="run" actions={actions} />;
}

/** Says how many values a logarithmic axis omits; null if none. */
export function omittedText(
  { view }: DashboardModel,
  columns: readonly Float64Array[],
): string | null {
  const count = view.value.isLog ? sum(columns.map(countNotPositive)) : 0;
  if (count === 0) return null;
  return plural(
    count,
    "{0} value at or below zero cannot be shown on a logarithmic axis.",
    "{0} values at or below zero cannot be shown on a logarithmic axis.",
  );
}

function stepActions(
  dashboard: DashboardModel,
  isSmall: boolean,
  stepOf: ChartFigureProps["stepOf"],
): PlotActions {
  return {
    zoom: ({ x, y }) =>
      dashboard.update(withoutUndefined({ xRange: x, yRange: isSmall ? undefined : y })),
    open: (row) => {
      const step = stepOf(row);
      if (step !== undefined) dashboard.openRollouts({ source: "training", step });
    },
    menu: (row) => {
      const step = stepOf(row);
      if (step === undefined) return null;
      return { label: strings.chart.step(step + 1), items: stepMenu(dashboard, step) };
    },
    openCell: (cell) => openEvaluation(dashboard, cell),
    hintOf: (cell) => strings.evaluation.open(cellTitle(cell)),
  };
}

/** `step` counts from 0. A checkpoint saved just before or after the step belongs to it. */
function stepMenu(dashboard: DashboardModel, step: number): readonly MenuItem[] {
  const { data, host } = dashboard;
  const checkpoints = data.checkpoints.value;
  const near = (path: "statePath" | "samplerPath") =>
    nearestSave(
      checkpoints.filter((save) => save[path] !== null),
      step + 1,
    );
  const [state, sampler] = [near("statePath"), near("samplerPath")];
  return [
    {
      label: l10n.t("Rollouts of step {0}", formatCount(step + 1)),
      run: () => dashboard.openRollouts({ source: "training", step }),
    },
    ...(state === null
      ? []
      : host.menuItem(
          l10n.t("Branch from here ({0})…", visibleLine(state.name)),
          "branchFromCheckpoint",
          { name: state.name },
        )),
    ...(sampler === null
      ? []
      : host.menuItem(l10n.t("Evaluate {0}…", visibleLine(sampler.name)), "evaluateCheckpoint", {
          name: sampler.name,
        })),
  ];
}
