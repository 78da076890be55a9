/** The latest evaluations of the compared runs side by side, overall and per task. */

import * as l10n from "@vscode/l10n";
import { useEffect, useState } from "preact/hooks";
import {
  formatBounds,
  formatChange,
  formatCount,
  formatReward,
  plural,
} from "../../src/shared/format.ts";
import type { ComparedCell, ComparedResult, RunsTableRow } from "../../src/shared/runsPage.ts";
import { Button } from "../controls/button.tsx";
import { ScrollRegion } from "../controls/scrollRegion.tsx";
import { TableHead } from "../controls/tableHead.tsx";
import { runsStrings as text } from "../strings/runs.ts";
import { visibleLine } from "../text/visible.ts";
import { RunHead } from "./runHead.tsx";
import type { RunsProps } from "./runsModel.ts";

export function CompareEvaluations({ runs }: RunsProps) {
  const cells = runs.evaluations.value;
  const ids = runs.compared.value.map(({ id }) => id);
  const newest = runs.compared.value.map(({ id, digest }) => [id, digest?.evaluations]);
  useEffect(() => runs.send({ kind: "want-evaluations", ids }), [runs, JSON.stringify(newest)]);
  if (cells === null) return <p class="message">{l10n.t("Reading the evaluations…")}</p>;
  const compared = runs.compared.value.filter(({ id }) =>
    cells.some(({ results }) => id in results),
  );
  if (compared.length === 0)
    return <p class="message">{l10n.t("None of these runs has been evaluated.")}</p>;
  return (
    <div class="compare-page stack">
      {cells.map((cell) => (
        <Cell key={cell.cell} runs={runs} cell={cell} compared={compared} />
      ))}
    </div>
  );
}

interface CellProps extends RunsProps {
  readonly cell: ComparedCell;
  readonly compared: readonly RunsTableRow[];
}

function Cell({ runs, cell, compared }: CellProps) {
  const [isOpen, setOpen] = useState(false);
  const title = visibleLine(cell.cell);
  const present = compared.filter(({ id }) => id in cell.results);
  return (
    <div class="card">
      <div class="card-head wrap">
        <h2>{title}</h2>
        <span class="fact">
          {l10n.t(
            "Newest evaluation of each run. Differences are from the baseline, task by task.",
          )}
        </span>
        <div class="card-actions">
          <Button
            class="quiet"
            label={text.taskByTask}
            aria-pressed={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
        </div>
      </div>
      <ScrollRegion label={title}>
        <table class="plain">
          <TableHead
            heads={[
              [text.columns["name"]?.head ?? ""],
              [text.columns["steps"]?.head ?? "", "number"],
              [text.columns["reward.last"]?.head ?? "", "number"],
              [l10n.t("95% CI"), "number"],
              [l10n.t("Difference"), "number"],
              [l10n.t("Tasks"), "number"],
              [l10n.t("Rollouts"), "number"],
            ]}
          />
          <tbody>
            {present.map((row, index) => (
              <ResultRow
                key={row.id}
                runs={runs}
                row={row}
                result={cell.results[row.id]}
                isBaseline={index === 0}
              />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {isOpen ? <Tasks runs={runs} cell={cell} compared={present} /> : null}
    </div>
  );
}

interface ResultRowProps extends RunsProps {
  readonly row: RunsTableRow;
  readonly result: ComparedResult | undefined;
  readonly isBaseline: boolean;
}

function ResultRow({ runs, row, result, isBaseline }: ResultRowProps) {
  if (result === undefined) return null;
  const { step, model, mean, rollouts, failed, difference } = result;
  return (
    <tr>
      <th scope="row" class="name">
        <RunHead runs={runs} run={row} />
      </th>
      <td class="number">{model === undefined ? formatCount(step) : visibleLine(model)}</td>
      <td class="number">
        <b>{formatReward(mean)}</b>
      </td>
      <td class="number">{formatBounds(result) || "–"}</td>
      <td
        class="number"
        title={
          difference === null && !isBaseline
            ? l10n.t("A difference needs 8 shared tasks")
            : undefined
        }
      >
        {isBaseline ? text.baseline : difference === null ? "–" : formatChange(difference)}
      </td>
      <td class="number">
        {difference === null
          ? "–"
          : l10n.t(
              "{0} better, {1} worse of {2}",
              difference.better,
              difference.worse,
              difference.tasks,
            )}
      </td>
      <td class="number">
        {failed === 0 ? formatCount(rollouts) : `${formatCount(rollouts)} ${text.failed(failed)}`}
      </td>
    </tr>
  );
}

const MAX_ROWS = 200;

/** Tasks with the largest differences between runs come first. */
function Tasks({ runs, cell, compared }: CellProps) {
  const rewards = compared.map(({ id }) => cell.results[id]?.tasks ?? []);
  const spreadOf = (at: number): number => {
    const known = rewards.map((own) => own[at] ?? null).filter((value) => value !== null);
    return known.length === 0 ? 0 : Math.max(...known) - Math.min(...known);
  };
  const order = [...cell.tasks.keys()]
    .map((at) => ({ at, spread: spreadOf(at) }))
    .sort((a, b) => b.spread - a.spread || a.at - b.at);
  return (
    <ScrollRegion label={text.taskByTask}>
      <table class="plain task-table">
        <thead>
          <tr>
            <th scope="col" class="number">
              {l10n.t("Task")}
            </th>
            {compared.map((run) => (
              <th scope="col" key={run.id} class="number">
                <RunHead runs={runs} run={run} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {order.slice(0, MAX_ROWS).map(({ at }) => (
            <tr key={at}>
              <th scope="row" class="number">
                {formatCount(cell.tasks[at] ?? 0)}
              </th>
              {rewards.map((own, run) => (
                <td key={compared[run]?.id} class="number">
                  {formatReward(own[at] ?? null)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {order.length > MAX_ROWS ? (
        <p class="note">
          {plural(order.length - MAX_ROWS, "and {0} more task", "and {0} more tasks")}
        </p>
      ) : null}
    </ScrollRegion>
  );
}
