/** Results on held-out tasks, each compared with the first evaluation. */

import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import type { CheckpointView, EvaluationView } from "../../src/shared/dashboardTypes.ts";
import {
  formatBounds,
  formatChange,
  formatCount,
  formatReward,
  formatTemperature,
  plural,
} from "../../src/shared/format.ts";
import { Button } from "../controls/button.tsx";
import { ContextMenu, type ContextMenuProps, Menu, type MenuItem } from "../controls/menu.tsx";
import { ScrollRegion } from "../controls/scrollRegion.tsx";
import { cellTitle } from "../controls/setTitle.ts";
import { TableHead } from "../controls/tableHead.tsx";
import { useScroll } from "../controls/useScroll.ts";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { type EvaluatedCell, openEvaluation, type Result } from "../model/evaluationCell.ts";
import {
  type EvaluationPivot,
  type EvaluationPivotRow,
  evaluationPivot,
} from "../model/evaluationPivot.ts";
import type { Host } from "../model/host.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";
import { EvaluationChart } from "./charts/evaluationChart.tsx";

const text = strings.evaluation;
/** Evaluations listed by default. */
const MAX_LISTED = 5;

interface EvaluationRow {
  /** Completed steps. */
  readonly step: number;
  /** Null for the run's own weights. */
  readonly model: string | null;
  readonly result: Result;
  /** True in the evaluation that the others are compared with. */
  readonly isFirst: boolean;
}

/** Evaluates the newest checkpoint in an editor; otherwise links to the checkpoints. */
function EvaluateCheckpoint({ dashboard }: DashboardProps) {
  const { host, data } = dashboard;
  const checkpoints = data.checkpoints.value;
  const newest = checkpoints.find(({ samplerPath }) => samplerPath !== null);
  if (newest !== undefined && host.can("evaluateCheckpoint")) {
    return (
      <Button
        class="secondary"
        label={l10n.t("Evaluate the checkpoint of step {0}", formatCount(newest.step))}
        onClick={() => host.command("evaluateCheckpoint", { name: newest.name })}
      />
    );
  }
  return checkpoints.length === 0 ? null : (
    <Button
      class="secondary"
      label={l10n.t("Show checkpoints")}
      onClick={() => dashboard.update({ tab: "run", runPart: "checkpoints" })}
    />
  );
}

export function Evaluations({ dashboard }: DashboardProps) {
  const scrolled = useScroll(dashboard, "evaluations");
  if (dashboard.data.evaluations.value.length === 0) {
    return (
      <div class="message">
        <h2>{l10n.t("No evaluations yet")}</h2>
        <p>
          {dashboard.data.run.value?.evaluatedModels == null
            ? l10n.t(
                "Rewards on tasks that the run does not train on will appear here. Set evaluation.splits in the configuration, or evaluate a checkpoint.",
              )
            : l10n.t("Results of a model appear when all of its rollouts have ended.")}
        </p>
        <EvaluateCheckpoint dashboard={dashboard} />
      </div>
    );
  }
  return (
    <div class="page stack" ref={scrolled}>
      <EvaluationChart dashboard={dashboard} />
      <EvaluationCard dashboard={dashboard} />
    </div>
  );
}

/** The table of all evaluations. */
export function EvaluationCard({ dashboard }: DashboardProps) {
  const [isWhole, setWhole] = useState(false);
  const [isList, setList] = useState(false);
  const evaluations = dashboard.data.evaluations.value;
  const pivot = evaluationPivot(evaluations);
  const isLong =
    dashboard.data.run.value?.evaluatedModels == null && evaluations.length > MAX_LISTED;
  // The charts show the omitted ones.
  const isListed = (index: number): boolean =>
    !isLong ||
    isWhole ||
    index === 0 ||
    index > evaluations.length - MAX_LISTED ||
    pivot.best.includes(index);
  return (
    <div class="card">
      <div class="card-head wrap">
        <h2 id="evaluation-title">{text.title}</h2>
        {isLong ? (
          <Button
            class="quiet"
            label={isWhole ? strings.showFewer : l10n.t("Show all ({0})", evaluations.length)}
            aria-expanded={isWhole}
            onClick={() => setWhole(!isWhole)}
          />
        ) : null}
        <Button
          class="quiet"
          label={isList ? l10n.t("View as table") : l10n.t("View as list")}
          onClick={() => setList(!isList)}
        />
      </div>
      <ScrollRegion label={text.title}>
        {isList ? (
          <List
            dashboard={dashboard}
            evaluations={evaluations.filter((_, index) => isListed(index))}
            best={bestResults(pivot)}
          />
        ) : (
          <Pivot dashboard={dashboard} pivot={pivot} isListed={isListed} />
        )}
      </ScrollRegion>
    </div>
  );
}

interface PivotProps extends DashboardProps {
  readonly pivot: EvaluationPivot;
  /** Whether the row with this index is shown. */
  readonly isListed: (index: number) => boolean;
}

function Pivot({ dashboard, pivot: { columns, rows, best }, isListed }: PivotProps) {
  const hasModels = rows.some(({ model }) => model !== null);
  return (
    <table class="plain pivot">
      <thead>
        <tr>
          <th scope="col">{hasModels ? l10n.t("Model") : l10n.t("After step")}</th>
          {columns.map(({ environment, split, temperature }) => (
            <th scope="col" key={`${environment} ${split} ${temperature}`}>
              {visibleLine(`${environment} ${split}`)}
              <span class="fact">{formatTemperature(temperature)}</span>
            </th>
          ))}
          <th scope="col">
            <span class="visually-hidden">{strings.checkpoints.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) =>
          isListed(index) ? (
            <PivotRow
              key={index}
              dashboard={dashboard}
              row={row}
              first={index === 0 ? undefined : rows[0]}
              isBest={(column) => best[column] === index}
            />
          ) : null,
        )}
      </tbody>
    </table>
  );
}

interface PivotRowProps extends DashboardProps {
  readonly row: EvaluationPivotRow;
  /** The row that the others are compared with; undefined for that row. */
  readonly first: EvaluationPivotRow | undefined;
  readonly isBest: (column: number) => boolean;
}

function PivotRow({ dashboard, row: { step, model, cells }, first, isBest }: PivotRowProps) {
  const [menuAt, setMenuAt] = useState<ContextMenuProps["at"] | null>(null);
  const checkpoint = checkpointOf(dashboard, step, model);
  const items = checkpointItems(checkpoint, dashboard.host);
  const label = menuLabel(checkpoint);
  const openMenu = (event: MouseEvent): void => {
    if (items.length === 0) return;
    event.preventDefault();
    setMenuAt({ left: event.clientX, top: event.clientY });
  };
  return (
    <tr>
      <th scope="row">
        {model === null ? formatCount(step) : visibleLine(model)}
        <BestMark checkpoint={checkpoint} />
      </th>
      {cells.map((result, column) =>
        result === null ? (
          <td key={column}>{strings.none}</td>
        ) : (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the button within has the keys
          <td
            key={column}
            class="opens"
            title={l10n.t("{0} rollouts", rolloutsText(result.rollouts, result.failed))}
            onClick={() => openEvaluation(dashboard, cellOf({ step, model, result }))}
            onContextMenu={openMenu}
          >
            <Button
              class="link"
              label={formatReward(result.rewardMean)}
              title={text.open(cellTitle(cellOf({ step, model, result })))}
            />
            {isBest(column) ? <BestBadge /> : null}
            <span class="fact">{formatBounds(result)}</span>
            {first === undefined || result.difference === undefined ? null : (
              <span class="fact change" title={l10n.t("task by task")}>
                {unbroken(changeText(result))} {unbroken(l10n.t("vs {0}", nameOf(first)))}
              </span>
            )}
            {result.passAtK.some(isOfSeveral) ? (
              <span class="fact">
                {l10n.t("pass {0}", passText(result.passAtK.filter(isOfSeveral)))}
              </span>
            ) : null}
          </td>
        ),
      )}
      <td class="row-actions">
        {items.length === 0 ? null : <Menu label={label} icon="ellipsis" items={items} />}
        {menuAt === null ? null : (
          <ContextMenu label={label} items={items} at={menuAt} close={() => setMenuAt(null)} />
        )}
      </td>
    </tr>
  );
}

/** Cells show pass@k for k > 1; pass@1 is in the list. */
function isOfSeveral({ k }: Result["passAtK"][number]): boolean {
  return k > 1;
}

/** Keeps the text in one line where its cell may wrap. */
function unbroken(text: string): string {
  return text.replaceAll(" ", "\u00a0");
}

function nameOf({ step, model }: EvaluationPivotRow): string {
  return model === null ? l10n.t("step {0}", formatCount(step)) : visibleLine(model);
}

/** Marks the highest mean of a column. */
function BestBadge() {
  return <span class="best">{l10n.t("best")}</span>;
}

function bestResults({ best, rows }: EvaluationPivot): readonly (Result | null)[] {
  return best.map((row, column) => (row === null ? null : (rows[row]?.cells[column] ?? null)));
}

function BestMark({ checkpoint }: { readonly checkpoint: CheckpointView | null }) {
  if (checkpoint?.best == null) return null;
  return <span title={l10n.t("best by {0}", visibleLine(checkpoint.best.metric))}> ★</span>;
}

interface ListProps extends DashboardProps {
  readonly evaluations: readonly EvaluationView[];
  readonly best: readonly (Result | null)[];
}

/** All values of all results. */
function List({ dashboard, evaluations, best }: ListProps) {
  const hasModels = evaluations.some(({ model }) => model !== undefined);
  return (
    <table class="plain">
      <TableHead
        heads={[
          hasModels ? [l10n.t("Model")] : [l10n.t("After step"), "number"],
          [l10n.t("Split")],
          [l10n.t("Sampling")],
          [l10n.t("Mean reward"), "number"],
          [l10n.t("95% CI"), "number"],
          [l10n.t("Change"), "number"],
          [l10n.t("pass@k"), "number"],
          [l10n.t("Rollouts"), "number"],
          [strings.checkpoints.actions, "hidden"],
        ]}
      />
      <tbody>
        {rowsOf(evaluations).map((row, index) => (
          <Row key={index} row={row} dashboard={dashboard} isBest={best.includes(row.result)} />
        ))}
      </tbody>
    </table>
  );
}

/** The checkpoint saved after the same steps; null for another model or if there is none. */
function checkpointOf({ data }: DashboardModel, step: number, model: string | null) {
  if (model !== null) return null;
  const saved = data.checkpoints.value.filter((own) => own.step === step);
  return saved.find(({ best }) => best !== null) ?? saved[0] ?? null;
}

interface RowProps extends DashboardProps {
  readonly row: EvaluationRow;
  readonly isBest: boolean;
}

function Row({ dashboard, row, isBest }: RowProps) {
  const { step, model, result, isFirst } = row;
  const { environment, split, temperature, rewardMean, rollouts, failed } = result;
  const checkpoint = checkpointOf(dashboard, step, model);
  const items = checkpointItems(checkpoint, dashboard.host);
  return (
    <tr class="opens" onClick={() => openEvaluation(dashboard, cellOf(row))}>
      <td class={model === null ? "number" : ""}>
        <Button
          class="link"
          label={model === null ? formatCount(step) : visibleLine(model)}
          title={text.open(cellTitle(cellOf(row)))}
        />
        <BestMark checkpoint={checkpoint} />
      </td>
      <td>{visibleLine(`${environment} ${split}`)}</td>
      <td>{formatTemperature(temperature)}</td>
      <td class="number">
        {isBest ? <BestBadge /> : null}
        <b>{formatReward(rewardMean)}</b>
      </td>
      <td class="number">{formatBounds(result) || strings.none}</td>
      <td class="number">{isFirst ? strings.none : changeText(result)}</td>
      <td class="number">{passText(result.passAtK)}</td>
      <td class="number">{rolloutsText(rollouts, failed)}</td>
      <td class="row-actions">
        {items.length === 0 ? null : (
          // biome-ignore lint/a11y/noStaticElementInteractions: keeps clicks of the menu from the row
          // biome-ignore lint/a11y/useKeyWithClickEvents: the row has no keys
          <span onClick={(event) => event.stopPropagation()}>
            <Menu label={menuLabel(checkpoint)} icon="ellipsis" items={items} />
          </span>
        )}
      </td>
    </tr>
  );
}

/** Empty if the checkpoint cannot be sampled from or the page is in a browser. */
function checkpointItems(checkpoint: CheckpointView | null, host: Host): readonly MenuItem[] {
  if (checkpoint === null || checkpoint.samplerPath === null) return [];
  const { name } = checkpoint;
  return [
    ...host.menuItem(l10n.t("Evaluate…"), "evaluateCheckpoint", { name }),
    ...host.menuItem(l10n.t("Chat with it…"), "chatWithCheckpoint", { name }),
  ];
}

function menuLabel(checkpoint: CheckpointView | null): string {
  return l10n.t("Actions for {0}", visibleLine(checkpoint?.name ?? ""));
}

function cellOf({ step, model, result }: Omit<EvaluationRow, "isFirst">): EvaluatedCell {
  return { step, ...result, model: model ?? undefined };
}

function rolloutsText(rollouts: number, failed: number): string {
  return failed === 0
    ? formatCount(rollouts)
    : `${formatCount(rollouts)} ${plural(failed, "({0} failed)", "({0} failed)")}`;
}

/** Change per task with its interval; `strings.none` below 8 shared tasks. */
function changeText({ difference }: Result): string {
  return difference === undefined ? strings.none : formatChange(difference);
}

/** The pass rate for every measured k. */
function passText(passAtK: Result["passAtK"]): string {
  if (passAtK.length === 0) return strings.none;
  return passAtK.map(({ k, mean }) => `${formatReward(mean)} @${k}`).join(", ");
}

function rowsOf(evaluations: readonly EvaluationView[]): readonly EvaluationRow[] {
  const [first] = evaluations;
  return evaluations.flatMap((evaluation) =>
    evaluation.results.map((result) => ({
      step: evaluation.step,
      model: evaluation.model?.name ?? null,
      result,
      isFirst: evaluation === first,
    })),
  );
}
