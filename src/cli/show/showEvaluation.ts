/** A run's evaluations: results side by side, and their rollouts. */

import * as l10n from "@vscode/l10n";
import { AppError } from "../../core/errors.ts";
import { type EvaluationEntry, readEvaluations } from "../../core/runFolder/evaluationLog.ts";
import { evalPath, runPaths } from "../../core/runFolder/files/layout.ts";
import { type RolloutSummary, rolloutsInOrder } from "../../core/runFolder/reader.ts";
import { formatQuantity, formatTemperature, plural } from "../../shared/format.ts";
import { evaluationLines, evaluationTitle } from "../terminal/evaluationLines.ts";
import { evaluationTable } from "../terminal/evaluationTable.ts";
import { BLANK, heading, type Line, quietLine } from "../terminal/line.ts";
import { type RolloutCells, rolloutTable } from "./rolloutTable.ts";
import { newestRows, notFoundError, type ShowContext, showCommand } from "./showContext.ts";
import { rolloutLines } from "./showStep.ts";
import { tokenLines } from "./showTokens.ts";

/** Results of all evaluations, each compared with the first. */
export async function* showEvaluations(context: ShowContext): AsyncGenerator<Line, void> {
  const evaluations = await readEvaluations(context.fileSystem, context.folder);
  const isOfModels = evaluations.some(({ model }) => model !== undefined);
  const lines = isOfModels
    ? evaluationTable(evaluations, context.width)
    : comparedEvaluations(evaluations, context.folder);
  yield* lines;
  if (lines.length === 0) {
    yield quietLine(
      l10n.t(
        "This run has no evaluations yet. Set the key evaluation in the configuration to get them.",
      ),
    );
    return;
  }
  const last = evaluations.at(-1);
  const flags = ["--eval", "--step", String(last?.step ?? 0)];
  yield* [BLANK, quietLine(l10n.t("Look closer:")), showCommand(context, ...flags)];
}

/** As lines; empty if there are no evaluations. */
export function comparedEvaluations(
  evaluations: readonly EvaluationEntry[],
  folder: string,
): readonly Line[] {
  const first = evaluations[0];
  const { evaluations: file } = runPaths(folder);
  const { rows, note } = newestRows(evaluations, file);
  const lines = rows.flatMap((evaluation) => [
    heading(evaluationTitle(evaluation.step, evaluation.model)),
    ...evaluationLines(evaluation.results, evaluation === first ? null : (first?.results ?? null)),
  ]);
  return [...note, ...lines];
}

/** The rollouts of the evaluation after `step` completed steps; with `rollout` (from 1), a single one turn by turn. */
export async function* showEvaluationRollouts(
  context: ShowContext,
  wanted: {
    readonly step: number;
    readonly rollout: number | null;
    readonly wantsTokens: boolean;
  },
): AsyncGenerator<Line, void> {
  const { step, rollout, wantsTokens } = wanted;
  const { reader, width } = context;
  const { rollouts, omission } = await reader.rolloutList(step, "evaluation");
  const stored = rolloutsInOrder(rollouts);
  const isLeftOut = rollout !== null && rollout > stored.length && omission !== null;
  if (isLeftOut) throw new AppError("no-such-number", omission);
  const [chosen] = await requireEvaluated(context, { step, rollout, all: stored });
  if (rollout === null || chosen === undefined) {
    yield heading(
      plural(stored.length, "{1}: {0} rollout", "{1}: {0} rollouts", evaluationTitle(step)),
    );
    const file = evalPath(context.folder, step);
    const { rows, note } = newestRows(stored.map(toRow), file);
    const models = stored.some(({ model }) => model !== undefined) ? [l10n.t("model")] : [];
    const titles = [l10n.t("rollout"), ...models, l10n.t("temperature")];
    yield* [...note, ...rolloutTable(titles, rows, width)];
    if (omission !== null) yield quietLine(omission);
    const flags = ["--eval", "--step", String(step), "--rollout", "1"];
    yield* [BLANK, quietLine(l10n.t("Look closer:")), showCommand(context, ...flags)];
    return;
  }
  const model = chosen.model === undefined ? undefined : { name: chosen.model, path: null };
  const title = [
    evaluationTitle(step, model),
    l10n.t("rollout {0}", rollout),
    formatTemperature(chosen.temperature ?? 0),
  ].join(", ");
  yield* await rolloutLines(context, chosen, title);
  if (wantsTokens) yield* tokenLines(context, chosen);
}

/** All rollouts of an evaluation, or the one numbered `rollout`, from 1. @throws AppError `no-such-number` */
export async function requireEvaluated<Rollout>(
  { fileSystem, folder }: Pick<ShowContext, "fileSystem" | "folder">,
  {
    step,
    rollout,
    all,
  }: { readonly step: number; readonly rollout: number | null; readonly all: readonly Rollout[] },
): Promise<readonly Rollout[]> {
  if (all.length === 0) {
    const evaluations = await readEvaluations(fileSystem, folder);
    const steps = evaluations.map((evaluation) => evaluation.step);
    throw notFoundError(
      `evaluation after ${formatQuantity(step, "step")}`,
      "Completed steps with one",
      [...new Set(steps)],
    );
  }
  if (rollout === null) return all;
  const chosen = all[rollout - 1];
  if (chosen !== undefined) return [chosen];
  const existing = all.map((_, index) => index + 1);
  throw notFoundError(`rollout ${rollout} in this evaluation`, "Its rollouts", existing);
}

/** Drops the score, which only training rollouts have. */
function toRow(
  { score: _, temperature, model, ...cells }: RolloutSummary,
  position: number,
): RolloutCells {
  return {
    ...cells,
    key: [
      String(position + 1),
      ...(model === undefined ? [] : [model]),
      temperature === 0 ? l10n.t("greedy") : String(temperature),
    ],
  };
}
