/** Settings of all charts: smoothing, axes, clipping. */

import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import type { Smoothing } from "../../charts/smoothing.ts";
import { hasAxis, shownAxis, X_AXES, type XAxis } from "../../charts/xAxis.ts";
import { Button } from "../../controls/button.tsx";
import { Choice } from "../../controls/choice.tsx";
import { Toolbar } from "../../controls/toolbar.tsx";
import type { DashboardModel, DashboardProps } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";

const KINDS = ["auto", "none", "ema", "window", "median"] as const;

export function ChartControls({ dashboard }: DashboardProps) {
  const [isOpen, setOpen] = useState(false);
  const { xRange, yRange } = dashboard.view.value;
  const text = strings.chart;
  const changes = changesOf(dashboard);
  return (
    <Toolbar label={text.controls} class="controls wrap">
      <Button
        class="quiet"
        icon="settings"
        label={text.controls}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen || changes.length === 0 ? null : <span class="fact">{changes.join(" · ")}</span>}
      {isOpen ? <AllControls dashboard={dashboard} /> : null}
      {xRange === null && yRange === null ? null : (
        <Button
          class="quiet"
          icon="zoomOut"
          label={text.resetZoom}
          onClick={() => dashboard.update({ xRange: null, yRange: null })}
        />
      )}
    </Toolbar>
  );
}

/** The settings that differ from the defaults. */
function changesOf(dashboard: DashboardModel): readonly string[] {
  const { smoothing, isLog, isClipped, isFromZero } = dashboard.view.value;
  const xAxis = axisOf(dashboard);
  const text = strings.chart;
  return [
    ...(smoothing.kind === "auto"
      ? []
      : [l10n.t("Smoothing: {0}", text.smoothingKinds[smoothing.kind])]),
    ...(xAxis === "step" ? [] : [text.xAxes[xAxis]]),
    ...(isLog ? [text.log] : []),
    ...(isClipped ? [text.clip] : []),
    ...(isFromZero ? [text.fromZero] : []),
  ];
}

function axisOf({ data, view }: DashboardModel): XAxis {
  data.columnsVersion.value;
  return shownAxis(view.value.xAxis, data.columns, data.events.value);
}

function AllControls({ dashboard }: DashboardProps) {
  const { smoothing, isLog, isClipped, isFromZero } = dashboard.view.value;
  const { columns, events } = dashboard.data;
  const text = strings.chart;
  return (
    <div class="controls wrap">
      <SmoothingControl
        smoothing={smoothing}
        set={(chosen) => dashboard.update({ smoothing: chosen })}
      />
      <Choice
        label={text.xAxis}
        value={axisOf(dashboard)}
        values={X_AXES.filter((axis) => hasAxis(axis, columns, events.value))}
        name={(axis) => text.xAxes[axis]}
        choose={(axis) => dashboard.update({ xAxis: axis, xRange: null })}
      />
      <div class="toggles">
        <Button
          class="toggle"
          label={text.log}
          aria-pressed={isLog}
          onClick={() => dashboard.update({ isLog: !isLog, yRange: null })}
        />
        <Button
          class="toggle"
          label={text.clip}
          aria-pressed={isClipped}
          onClick={() => dashboard.update({ isClipped: !isClipped, yRange: null })}
        />
        <Button
          class="toggle"
          label={text.fromZero}
          aria-pressed={isFromZero}
          onClick={() => dashboard.update({ isFromZero: !isFromZero, yRange: null })}
        />
      </div>
    </div>
  );
}

interface SmoothingProps {
  readonly smoothing: Smoothing;
  readonly set: (smoothing: Smoothing) => void;
}

export function SmoothingControl({ smoothing, set }: SmoothingProps) {
  const text = strings.chart;
  return (
    <>
      <Choice
        label={l10n.t("Smoothing")}
        value={smoothing.kind}
        values={KINDS}
        name={(kind) => text.smoothingKinds[kind]}
        choose={(kind) => set(firstOf(kind))}
      />
      {smoothing.kind === "ema" ? (
        <label class="field slider">
          <span>{l10n.t("Strength")}</span>
          <input
            type="range"
            min="0"
            max="0.99"
            step="0.01"
            value={smoothing.factor}
            onInput={({ currentTarget: { value } }) => set({ kind: "ema", factor: Number(value) })}
          />
          <output>{smoothing.factor.toFixed(2)}</output>
        </label>
      ) : null}
      {smoothing.kind === "window" || smoothing.kind === "median" ? (
        <label class="field slider">
          <span>{l10n.t("Steps")}</span>
          <input
            type="range"
            min="2"
            max="50"
            step="1"
            value={smoothing.size}
            onInput={({ currentTarget: { value } }) =>
              set({ kind: smoothing.kind, size: Number(value) })
            }
          />
          <output>{smoothing.size}</output>
        </label>
      ) : null}
    </>
  );
}

function firstOf(kind: Smoothing["kind"]): Smoothing {
  if (kind === "none") return { kind };
  return kind === "ema" || kind === "auto" ? { kind, factor: 0.6 } : { kind, size: 5 };
}
