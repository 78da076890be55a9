/** Results on tasks that training never sees, each compared with the first. */

import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import type { CheckpointView, EvaluationView } from "../../src/shared/dashboardTypes.ts";
import {
  formatCount,
  formatReward,
  formatSigned,
  formatTemperature,
  plural,
} from "../../src/shared/format.ts";
import { Button } from "../controls/button.tsx";
import { Menu } from "../controls/menu.tsx";
import { ScrollRegion } from "../controls/scrollRegion.tsx";
import { cellTitle } from "../controls/setTitle.ts";
import { TableHead } from "../controls/tableHead.tsx";
import { useScroll } from "../controls/useScroll.ts";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { type EvaluatedCell, openEvaluation } from "../model/evaluationCell.ts";
import type { Host } from "../model/host.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";
import { EvaluationChart } from "./charts/evaluationChart.tsx";

const text = strings.evaluation;
/** Evaluations of a training that are listed before one asks for all. */
const MAX_LISTED = 5;

type Result = EvaluationView["results"][number];

interface EvaluationRow {
  /** Completed steps. */
  readonly step: number;
  /** Null for the weights of the run itself. */
  readonly model: string | null;
  readonly result: Result;
  /** True in the evaluation that the others are compared with. */
  readonly isFirst: boolean;
}

/** The newest one, where an editor asks on which tasks; else the way to the list of checkpoints. */
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
      <EvaluationTable dashboard={dashboard} />
    </div>
  );
}

function EvaluationTable({ dashboard }: DashboardProps) {
  const [isWhole, setWhole] = useState(false);
  const evaluations = dashboard.data.evaluations.value;
  const isLong =
    dashboard.data.run.value?.evaluatedModels == null && evaluations.length > MAX_LISTED;
  const hasModels = evaluations.some(({ model }) => model !== undefined);
  const listed = isLong && !isWhole ? firstAndNewest(evaluations) : evaluations;
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
      </div>
      <ScrollRegion label={text.title}>
        <table class="plain">
          <TableHead
            heads={[
              hasModels ? [l10n.t("Model")] : [l10n.t("After step"), "number"],
              [l10n.t("Split")],
              [l10n.t("Sampling")],
              [l10n.t("Mean reward"), "number"],
              [l10n.t("95 % interval"), "number"],
              [l10n.t("Change"), "number"],
              [l10n.t("pass@k"), "number"],
              [l10n.t("Rollouts"), "number"],
              [strings.checkpoints.actions, "hidden"],
            ]}
          />
          <tbody>
            {rowsOf(listed).map((row, index) => (
              <Row
                key={index}
                row={row}
                checkpoint={checkpointOf(dashboard, row)}
                host={dashboard.host}
                open={() => openEvaluation(dashboard, cellOf(row))}
              />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </div>
  );
}

/** The charts show those between. */
function firstAndNewest(evaluations: readonly EvaluationView[]): readonly EvaluationView[] {
  return [...evaluations.slice(0, 1), ...evaluations.slice(1 - MAX_LISTED)];
}

/** What was saved after the same steps; null for another model, and without a save. */
function checkpointOf({ data }: DashboardModel, { step, model }: EvaluationRow) {
  if (model !== null) return null;
  const saved = data.checkpoints.value.filter((own) => own.step === step);
  return saved.find(({ best }) => best !== null) ?? saved[0] ?? null;
}

interface RowProps {
  readonly row: EvaluationRow;
  readonly checkpoint: CheckpointView | null;
  readonly host: Host;
  readonly open: () => void;
}

function Row({ row, checkpoint, host, open }: RowProps) {
  const { step, model, result, isFirst } = row;
  const { environment, split, temperature, rewardMean, low, high, rollouts, failed } = result;
  return (
    <tr class="opens" onClick={open}>
      <td class={model === null ? "number" : ""}>
        <Button
          class="link"
          label={model === null ? formatCount(step) : visibleLine(model)}
          title={text.open(cellTitle(cellOf(row)))}
        />
        {checkpoint?.best == null ? null : (
          <span title={l10n.t("best by {0}", visibleLine(checkpoint.best.metric))}> ★</span>
        )}
      </td>
      <td>{visibleLine(`${environment} ${split}`)}</td>
      <td>{formatTemperature(temperature)}</td>
      <td class="number">
        <b>{formatReward(rewardMean)}</b>
      </td>
      <td class="number">{rangeText(low, high, formatReward) ?? strings.none}</td>
      <td class="number">{isFirst ? strings.none : changeText(result)}</td>
      <td class="number">{passText(result)}</td>
      <td class="number">{rolloutsText(rollouts, failed)}</td>
      <td class="row-actions">
        {checkpoint?.samplerPath == null ? null : (
          <CheckpointMenu name={checkpoint.name} host={host} />
        )}
      </td>
    </tr>
  );
}

function CheckpointMenu({ name, host }: { readonly name: string; readonly host: Host }) {
  const items = [
    ...host.menuItem(l10n.t("Evaluate…"), "evaluateCheckpoint", { name }),
    ...host.menuItem(l10n.t("Chat with it…"), "chatWithCheckpoint", { name }),
  ];
  if (items.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keeps clicks of the menu from the row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the row has no keys
    <span onClick={(event) => event.stopPropagation()}>
      <Menu label={l10n.t("Actions for {0}", visibleLine(name))} icon="ellipsis" items={items} />
    </span>
  );
}

function cellOf({ step, model, result }: EvaluationRow): EvaluatedCell {
  return { step, ...result, model: model ?? undefined };
}

function rolloutsText(rollouts: number, failed: number): string {
  return failed === 0
    ? formatCount(rollouts)
    : `${formatCount(rollouts)} ${plural(failed, "({0} failed)", "({0} failed)")}`;
}

/** The change task by task, with its interval; none below 8 shared tasks. */
function changeText({ difference }: Result): string {
  if (difference === undefined) return strings.none;
  const { mean, low, high } = difference;
  const range = rangeText(low, high, formatSigned);
  return range === null ? formatSigned(mean) : `${formatSigned(mean)} (${range})`;
}

function rangeText(
  low: number | null,
  high: number | null,
  format: (value: number) => string,
): string | null {
  return low === null || high === null ? null : l10n.t("{0} to {1}", format(low), format(high));
}

/** The pass rate for every k that was measured. */
function passText({ passAtK }: Result): string {
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
