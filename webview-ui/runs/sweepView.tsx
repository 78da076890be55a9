/** Which setting of a sweep mattered: a small plot per setting, parallel coordinates, and a table of the runs. */

import * as l10n from "@vscode/l10n";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RunsTableRow } from "../../src/shared/runsPage.ts";
import {
  knownRuns,
  type SweepEffects,
  type SweptRun,
  sweepEffects,
} from "../../src/shared/sweepEffects.ts";
import { resultRange } from "../../src/shared/sweepPlot.ts";
import {
  combinationsText,
  effectText,
  leftOutText,
  shortKey,
  sweepSentence,
} from "../../src/shared/sweepText.ts";
import { Button, IconButton } from "../controls/button.tsx";
import { Choice } from "../controls/choice.tsx";
import { ScrollRegion } from "../controls/scrollRegion.tsx";
import { runsStrings as text } from "../strings/runs.ts";
import { visibleLine } from "../text/visible.ts";
import { COMPARED, comparedColumn, type RunColumn, resultColumns } from "./runColumns.ts";
import type { RunsProps, ShownSweep } from "./runsModel.ts";
import { type LitRun, ParallelCoordinates, SettingPlot } from "./sweepPlots.tsx";
import { sortedRows } from "./tableItems.ts";

/** From this many settings on, separate plots no longer show which values a run combined. */
const MANY_SETTINGS = 3;

interface SweepProps extends RunsProps {
  readonly sweep: ShownSweep;
}

export function SweepView({ runs }: RunsProps) {
  const sweep = runs.sweep.value;
  return sweep === null ? null : <Sweep key={sweep.id} runs={runs} sweep={sweep} />;
}

function Sweep({ runs, sweep }: SweepProps) {
  const { name, rows } = sweep;
  const columns = [comparedColumn(rows) ?? [], resultColumns(runs.columns.value, rows)].flat();
  const { sweepMetric } = runs.layout.value;
  const column = columns.find(({ key }) => key === sweepMetric) ?? columns[0];
  const effects = useEffects(rows, column);
  const [id, set] = useState<string | null>(null);
  const lit = { id, set, open: (own: string) => runs.send({ kind: "open", id: own }) };
  const back = useRef<HTMLDivElement>(null);
  // Focuses the back button, because the control that opened the view is gone.
  useEffect(() => back.current?.querySelector("button")?.focus(), []);
  const keys = effects.settings.map(({ key }) => key);
  const shown = (key: string): string => visibleLine(shortKey(key, keys));
  const run = rows.find((row) => row.id === id);
  const close = (): void => runs.update({ sweep: null });
  const basis = column?.key === COMPARED ? column.hint : null;
  const notes = [basis, combinationsText(effects), leftOutText(effects)].filter(
    (own) => own !== null,
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: catches a key of the controls within
    <div
      class="sweep stack"
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) close();
      }}
    >
      <div class="sweep-head wrap" ref={back}>
        <IconButton icon="chevronLeft" label={l10n.t("Show all runs")} onClick={close} />
        <h2>{l10n.t("Sweep {0}", visibleLine(name))}</h2>
        {column === undefined ? null : (
          <Choice
            label={l10n.t("Result")}
            value={column.key}
            values={columns.map(({ key }) => key)}
            name={(key) => nameOf(columns.find((own) => own.key === key)) ?? key}
            choose={(key) => runs.update({ sweepMetric: key })}
          />
        )}
        <Button
          class="quiet"
          icon="diff"
          label={l10n.t("Compare runs")}
          onClick={() => {
            close();
            runs.choose(rows.map((row) => row.id));
          }}
        />
      </div>
      <div class="sweep-answer">
        <p class="sentence">{sweepSentence(effects, shown)}</p>
        {notes.map((note) => (
          <p class="fact" key={note}>
            {note}
          </p>
        ))}
      </div>
      <p class="sweep-lit fact">
        {run === undefined
          ? l10n.t(
              "A point is a run, a bar the mean, from three runs on with its 95% confidence interval. Shares are of the variance, less what chance explains, with 95% confidence intervals.",
            )
          : l10n.t("{0}: {1}", visibleLine(run.name), column?.text(run) ?? "")}
      </p>
      <div class="sweep-plots">
        {effects.settings.map((effect) => (
          <figure class="card" key={effect.key}>
            <figcaption>
              <h3 title={visibleLine(effect.key)}>{shown(effect.key)}</h3>
              <p class="fact">{effectText(effect)}</p>
            </figcaption>
            <SettingPlot effect={effect} range={resultRange(effects)} lit={lit} />
          </figure>
        ))}
      </div>
      {effects.settings.length < MANY_SETTINGS || column === undefined ? null : (
        <figure class="card sweep-parallel">
          <figcaption>
            <h3>{l10n.t("All settings")}</h3>
            <p class="fact">{l10n.t("A line is a run, from its settings to its result.")}</p>
          </figcaption>
          <ParallelCoordinates
            effects={effects}
            range={resultRange(effects)}
            result={column.head}
            shown={shown}
            lit={lit}
          />
        </figure>
      )}
      {column === undefined ? null : (
        <SweptRuns rows={rows} effects={effects} column={column} shown={shown} lit={lit} />
      )}
    </div>
  );
}

/** Name in the list of results: the hint, except for the column whose hint is a sentence, which is shown below. */
function nameOf(column: RunColumn | undefined): string | undefined {
  return column?.key === COMPARED ? column.head : column?.hint;
}

/** Recomputed only when a run is added or its numbers change: rows arrive with every step of any run. */
function useEffects(rows: readonly RunsTableRow[], column: RunColumn | undefined): SweepEffects {
  const swept = rows.map((row): SweptRun => {
    const value = column?.value(row);
    return {
      id: row.id,
      settings: row.sweep?.settings ?? {},
      result: typeof value === "number" && row.sweep?.hasLeft !== true ? value : null,
      isDone: row.state === "done",
      steps: row.steps,
    };
  });
  return useMemo(() => sweepEffects(swept), [JSON.stringify([knownRuns(swept), swept.length])]);
}

interface TableProps {
  readonly rows: readonly RunsTableRow[];
  readonly effects: SweepEffects;
  readonly column: RunColumn;
  readonly shown: (key: string) => string;
  readonly lit: LitRun;
}

/** Sorted from the best result down: the lowest loss, or the highest of any other result. */
function SweptRuns({ rows, effects, column, shown, lit }: TableProps) {
  const keys = [...new Set(rows.flatMap(({ sweep }) => Object.keys(sweep?.settings ?? {})))];
  const counted = new Set(
    effects.settings[0]?.values.flatMap(({ points }) => points.map(({ id }) => id)),
  );
  return (
    <ScrollRegion label={l10n.t("Runs of the sweep")}>
      <table class="plain sweep-table">
        <thead>
          <tr>
            <th scope="col">{l10n.t("Run")}</th>
            <th scope="col">{l10n.t("State")}</th>
            {keys.map((key) => (
              <th scope="col" class="number" key={key}>
                {shown(key)}
              </th>
            ))}
            <th scope="col" class="number">
              {column.head}
            </th>
          </tr>
        </thead>
        <tbody>
          {sortedRows(rows, column, !column.key.endsWith("loss")).map((row) => (
            <tr
              key={row.id}
              data-lit={row.id === lit.id}
              data-left-out={counted.size > 0 && !counted.has(row.id)}
              onPointerEnter={() => lit.set(row.id)}
              onPointerLeave={() => lit.set(null)}
            >
              <th scope="row" class="name">
                <Button
                  class="link"
                  label={visibleLine(row.name)}
                  onFocus={() => lit.set(row.id)}
                  onBlur={() => lit.set(null)}
                  onClick={() => lit.open(row.id)}
                />
              </th>
              <td>{text.states[row.state]}</td>
              {keys.map((key) => (
                <td class="number" key={key}>
                  {visibleLine(row.sweep?.settings[key] ?? "–")}
                </td>
              ))}
              <td class="number">{column.text(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
