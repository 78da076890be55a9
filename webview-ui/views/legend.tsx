/** The series of a chart with their looks; a click hides one, a double click leaves it alone. */

import { formatValue } from "../charts/format.ts";
import type { ChartMark } from "../controls/chartMarks.ts";
import { styleColour } from "../controls/palette.ts";
import type { PanelModel } from "../panelModel.ts";
import { strings } from "../strings.ts";
import type { LegendEntry } from "./rewardParts.ts";

interface LegendProps {
  readonly panel: PanelModel;
  readonly entries: readonly LegendEntry[];
  readonly marks: readonly ChartMark[];
  /** Row whose values are shown; -1 = the last one. */
  readonly row: number;
}

const MARKS = ["checkpoint", "resume", "alarm", "skipped"] as const;

export function Legend({ panel, entries, marks, row }: LegendProps) {
  const { hiddenSeries } = panel.view.value;
  const flip = (key: string): void =>
    panel.update({
      hiddenSeries: hiddenSeries.includes(key)
        ? hiddenSeries.filter((other) => other !== key)
        : [...hiddenSeries, key],
    });
  const solo = (key: string): void => {
    const others = entries.map((entry) => entry.key).filter((other) => other !== key);
    const isSolo = others.every((other) => hiddenSeries.includes(other));
    panel.update({ hiddenSeries: isSolo ? [] : others });
  };
  const present = MARKS.filter((kind) => marks.some((mark) => mark.kind === kind));
  return (
    <div class="legend">
      <fieldset>
        <legend class="spoken">{strings.chart.legend}</legend>
        {entries.map(({ key, label, colour, look, values, dash }) => (
          <button
            type="button"
            key={key}
            aria-pressed={!hiddenSeries.includes(key)}
            title={strings.chart.legend}
            onClick={() => flip(key)}
            onDblClick={() => solo(key)}
          >
            <span
              class="swatch"
              data-look={lookOf(look, dash)}
              style={{ color: styleColour(colour) }}
            />
            <span>{label}</span>
            {values === null ? null : (
              <b>{formatValue(values[row < 0 ? values.length - 1 : row])}</b>
            )}
          </button>
        ))}
      </fieldset>
      {present.length === 0 ? null : (
        <ul>
          {present.map((kind) => (
            <li key={kind}>
              <span class="mark" data-kind={kind} />
              {strings.reward.marks[kind]}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Dots are told from dashes, as on the chart. */
function lookOf(look: LegendEntry["look"], dash: readonly number[] | undefined): string {
  return look === "dashed" && (dash?.[0] ?? 9) < 4 ? "dotted" : look;
}
