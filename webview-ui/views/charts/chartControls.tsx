/** How all charts are drawn: smoothing, axes, clipping. */

import * as l10n from "@vscode/l10n";
import type { Smoothing } from "../../charts/smoothing.ts";
import { X_AXES, type XAxis } from "../../charts/xAxis.ts";
import { Button } from "../../controls/button.tsx";
import type { DashboardProps } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";

const KINDS = ["auto", "none", "ema", "window", "median"] as const;

export function ChartControls({ dashboard }: DashboardProps) {
  const { xAxis, isLog, isClipped, isFromZero, xRange, yRange } = dashboard.view.value;
  const text = strings.chart;
  return (
    <fieldset class="controls wrap">
      <legend class="visually-hidden">{text.controls}</legend>
      <SmoothingControl
        smoothing={dashboard.view.value.smoothing}
        set={(smoothing) => dashboard.update({ smoothing })}
      />
      <label class="field">
        <span>{text.xAxis}</span>
        <select
          value={xAxis}
          onChange={({ currentTarget: { value } }) =>
            dashboard.update({ xAxis: value as XAxis, xRange: null })
          }
        >
          {X_AXES.map((axis) => (
            <option key={axis} value={axis}>
              {text.xAxes[axis]}
            </option>
          ))}
        </select>
      </label>
      <div class="toggles">
        <Button
          class="toggle"
          label={text.log}
          aria-pressed={isLog}
          onClick={() => dashboard.update({ isLog: !isLog, yRange: null })}
        />
        <Button
          class="toggle"
          label={l10n.t("Clip outliers")}
          aria-pressed={isClipped}
          onClick={() => dashboard.update({ isClipped: !isClipped, yRange: null })}
        />
        <Button
          class="toggle"
          label={l10n.t("From zero")}
          aria-pressed={isFromZero}
          onClick={() => dashboard.update({ isFromZero: !isFromZero, yRange: null })}
        />
      </div>
      {xRange === null && yRange === null ? null : (
        <Button
          class="quiet"
          icon="zoomOut"
          label={text.resetZoom}
          onClick={() => dashboard.update({ xRange: null, yRange: null })}
        />
      )}
    </fieldset>
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
      <label class="field">
        <span>{l10n.t("Smoothing")}</span>
        <select
          value={smoothing.kind}
          onChange={({ currentTarget: { value } }) => set(firstOf(value as Smoothing["kind"]))}
        >
          {KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {text.smoothingKinds[kind]}
            </option>
          ))}
        </select>
      </label>
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
