/** Formats evaluations: one line per temperature, compared with earlier results. */

import * as l10n from "@vscode/l10n";
import { isSameCell } from "../../core/config/rules/evaluationCells.ts";
import type { EvaluatedModel, StoredResult } from "../../core/runFolder/evaluationLog.ts";
import {
  formatBounds,
  formatReward,
  formatSigned,
  formatTemperature,
  plural,
} from "../../shared/format.ts";
import { type Line, type LinePiece, styled } from "./line.ts";

/** `baseline` is what `results` are compared with; null if there is none. */
export function evaluationLines(
  results: readonly StoredResult[],
  baseline: readonly StoredResult[] | null,
): readonly Line[] {
  const names = results.map(({ temperature }) => formatTemperature(temperature));
  const nameWidth = Math.max(0, ...names.map((name) => name.length));
  const lines: Line[] = [];
  let lastSplit = "";
  for (const [index, result] of results.entries()) {
    const split = l10n.t("{0} split of {1}", result.split, result.environment);
    if (split !== lastSplit) lines.push([`  ${split}`]);
    lastSplit = split;
    const before = baseline?.find((other) => isSameCell(other, result)) ?? null;
    lines.push([
      `    ${(names[index] ?? "").padEnd(nameWidth)}  `,
      ...resultPieces(result, before),
    ]);
  }
  return lines;
}

/** `step` is the number of completed steps; `model` is absent for the run's own weights. */
export function evaluationTitle(step: number, model?: EvaluatedModel): string {
  if (model !== undefined) return l10n.t("evaluation of {0}", model.name);
  return step === 0
    ? l10n.t("evaluation before training")
    : plural(step, "evaluation after {0} step", "evaluation after {0} steps");
}

function resultPieces(result: StoredResult, before: StoredResult | null): readonly LinePiece[] {
  const { rewardMean, low, high, failed, rollouts, difference } = result;
  const change = before === null ? undefined : difference;
  const pieces: LinePiece[] = [];
  if (before !== null) pieces.push(`${formatReward(before.rewardMean)} → `);
  pieces.push(styled("strong", formatReward(rewardMean)));
  if (change !== undefined) pieces.push("  ", changePiece(change.mean));
  const facts: string[] = [];
  const bounds = formatBounds({ low, high });
  if (bounds !== "") facts.push(l10n.t("95% CI {0}", bounds));
  const changeBounds = change === undefined ? "" : formatBounds(change, formatSigned);
  if (changeBounds !== "") facts.push(l10n.t("of the change by task {0}", changeBounds));
  if (facts.length > 0) pieces.push(styled("quiet", `  ${facts.join(", ")}`));
  if (failed > 0) {
    pieces.push(
      styled(
        "warning",
        `  ${plural(rollouts, "{1} of {0} rollout failed", "{1} of {0} rollouts failed", failed)}`,
      ),
    );
  }
  return pieces;
}

function changePiece(change: number): LinePiece {
  const text = formatSigned(change);
  if (Math.abs(change) < 0.005) return text;
  return styled(change > 0 ? "good" : "bad", text);
}
