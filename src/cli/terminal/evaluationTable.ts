/** An evaluation of several models, as tables for people and as JSON for programs. */

import * as l10n from "@vscode/l10n";
import { isSameCell } from "../../core/config/rules/evaluationCells.ts";
import type { EvaluationEntry, StoredResult } from "../../core/runFolder/evaluationLog.ts";
import {
  formatBounds,
  formatChange,
  formatReward,
  formatTemperature,
  plural,
} from "../../shared/format.ts";
import { BLANK, type Line, type LinePiece, styled } from "./line.ts";
import { type Column, tableLines } from "./table.ts";

/** One table per environment, split and temperature, with one row per model. */
export function evaluationTable(
  evaluations: readonly EvaluationEntry[],
  width: number,
): readonly Line[] {
  const [first] = evaluations;
  return (first?.results ?? []).flatMap((cell, index) => {
    const rows = evaluations.flatMap((evaluation) => {
      const result = evaluation.results.find((other) => isSameCell(other, cell));
      return result === undefined ? [] : [{ evaluation, result }];
    });
    const hasFailed = rows.some(({ result }) => result.failed > 0);
    return [
      ...(index === 0 ? [] : [BLANK]),
      [styled("strong", cellTitle(cell))],
      ...tableLines(
        columns(cell, hasFailed),
        rows.map(({ evaluation, result }) => row(evaluation, result, hasFailed)),
        width,
      ),
    ];
  });
}

function cellTitle({ environment, split, temperature, tasks, rollouts }: StoredResult): string {
  const perTask = tasks === 0 ? 0 : rollouts / tasks;
  return [
    l10n.t("{0} split of {1}", split, environment),
    formatTemperature(temperature),
    plural(tasks, "{0} task", "{0} tasks"),
    plural(perTask, "{0} rollout of each", "{0} rollouts of each"),
  ].join(", ");
}

function columns({ passAtK }: StoredResult, hasFailed: boolean): readonly Column[] {
  const right = (title: string): Column => ({ title, align: "right" });
  return [
    { title: l10n.t("model"), align: "left", canShrink: true },
    right(l10n.t("reward [95%]")),
    right(l10n.t("change [95%]")),
    ...passAtK.map(({ k }) => right(`pass@${k}`)),
    ...(hasFailed ? [right(l10n.t("failed"))] : []),
  ];
}

function row(
  { model, step }: EvaluationEntry,
  result: StoredResult,
  hasFailed: boolean,
): readonly LinePiece[] {
  const { rewardMean: mean, difference, passAtK, failed } = result;
  return [
    model?.name ?? l10n.t("step {0}", step),
    [formatReward(mean), formatBounds(result)].join(" ").trimEnd(),
    difference === undefined ? "–" : changePiece(difference),
    ...passAtK.map((each) => formatReward(each.mean)),
    ...(hasFailed ? [styled(failed === 0 ? "quiet" : "warning", String(failed))] : []),
  ];
}

/** Colored only if the interval excludes 0. */
function changePiece(difference: NonNullable<StoredResult["difference"]>): LinePiece {
  const { mean, low, high } = difference;
  const text = formatChange(difference);
  if (low === null || high === null || (low <= 0 && high >= 0)) return text;
  return styled(mean > 0 ? "good" : "bad", text);
}
