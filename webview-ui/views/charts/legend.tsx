/** The series of a chart with their looks; a click hides a series, a double click hides all others. */

import { plural } from "../../../src/shared/format.ts";
import type { ChartMark } from "../../charts/drawing/chartMarks.ts";
import { formatRewardValue } from "../../charts/format.ts";
import { Menu } from "../../controls/menu.tsx";
import { Swatch } from "../../controls/swatch.tsx";
import type { DashboardProps } from "../../model/dashboardModel.ts";
import { toggled } from "../../model/toggled.ts";
import { HIDDEN_AT_FIRST } from "../../model/viewState.ts";
import { strings } from "../../strings/strings.ts";
import type { LegendEntry } from "./rewardChartData.ts";

interface LegendProps extends DashboardProps {
  readonly entries: readonly LegendEntry[];
  readonly marks: readonly ChartMark[];
  /** Row whose values are shown; -1 = the last row. */
  readonly row: number;
}

interface ValueProps extends Pick<LegendEntry, "line" | "latest"> {
  readonly values: Float64Array;
  readonly counts: Float64Array | undefined;
  readonly row: number;
}

const MARKS = [
  "checkpoint",
  "best",
  "resume",
  "settings",
  "code",
  "pause",
  "alarm",
  "skipped",
] as const;

export function Legend({ dashboard, entries, marks, row }: LegendProps) {
  const { hiddenSeries } = dashboard.view.value;
  const toggle = (key: string): void =>
    dashboard.update({
      hiddenSeries: toggled(hiddenSeries, key),
    });
  const solo = (key: string): void => {
    const others = entries.map((entry) => entry.key).filter((other) => other !== key);
    const isSolo = others.every((other) => hiddenSeries.includes(other));
    dashboard.update({ hiddenSeries: isSolo ? HIDDEN_AT_FIRST : others });
  };
  // A series hidden by a click keeps its place, so that a second click hits it.
  const isExtra = ({ key }: LegendEntry): boolean =>
    HIDDEN_AT_FIRST.includes(key) && hiddenSeries.includes(key);
  const shown = entries.filter((entry) => !isExtra(entry));
  const hidden = entries.filter(isExtra);
  const present = MARKS.filter((kind) => marks.some((mark) => mark.kind === kind));
  const switches = (isMark: boolean) => (
    <fieldset>
      <legend class="visually-hidden">{strings.chart.legend}</legend>
      {shown
        .filter(({ look }) => (look === "symbol") === isMark)
        .map(({ key, label, values, line, latest, counts, ...swatch }) => (
          <button
            type="button"
            key={key}
            aria-pressed={!hiddenSeries.includes(key)}
            title={strings.chart.legend}
            onClick={() => toggle(key)}
            onDblClick={() => solo(key)}
          >
            <Swatch {...swatch} />
            <span>{label}</span>
            {values === null ? null : (
              <Value values={values} line={line} latest={latest} counts={counts} row={row} />
            )}
          </button>
        ))}
    </fieldset>
  );
  return (
    <div class="legend">
      <div class="curves wrap">
        {switches(false)}
        {hidden.length === 0 ? null : (
          <Menu
            label={plural(hidden.length, "+ {0} more series", "+ {0} more series")}
            icon={null}
            isTextShown={true}
            items={hidden.map(({ key, label }) => ({ label, run: () => toggle(key) }))}
          />
        )}
      </div>
      <div class="marks wrap">
        {shown.some(({ look }) => look === "symbol") ? switches(true) : null}
        {present.map((kind) => (
          <span class="legend-mark" key={kind}>
            <span class="mark" data-kind={kind} />
            {strings.reward.marks[kind]}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The drawn value, plus the recorded one if it differs. */
function Value({ values, line, latest, counts, row }: ValueProps) {
  const at = row < 0 ? values.length - 1 : row;
  const count = counts?.[at] ?? Number.NaN;
  const written = row < 0 ? (latest ?? values[at]) : values[at];
  if (Number.isNaN(written)) return <b>{formatRewardValue(written)}</b>;
  const drawn = line === null ? written : line[at];
  return (
    <>
      <b>{formatRewardValue(drawn)}</b>
      {Object.is(drawn, written) ? null : (
        <span class="fact">{strings.reward.written(formatRewardValue(written))}</span>
      )}
      {Number.isNaN(count) ? null : <span class="fact">{strings.reward.restsOn(count)}</span>}
    </>
  );
}
