/** The titles of a step or evaluation, of one of its rollouts, and of one of its results. */

import * as l10n from "@vscode/l10n";
import { formatCount, formatTemperature } from "../../src/shared/format.ts";
import type { RolloutKey, RolloutSet } from "../../src/shared/rolloutSet.ts";
import type { EvaluatedCell } from "../model/evaluationCell.ts";
import { visibleLine } from "../text/visible.ts";

export function setTitle({ source, step }: RolloutSet): string {
  return source === "training"
    ? l10n.t("Step {0}", formatCount(step + 1))
    : l10n.t("Evaluation after {0}", formatCount(step));
}

export function rolloutTitle(key: RolloutKey): string {
  return l10n.t("{0}, group {1}, rollout {2}", setTitle(key), key.group + 1, key.rollout + 1);
}

export function cellTitle({ step, environment, split, temperature, model }: EvaluatedCell): string {
  const tasks = visibleLine(`${environment} ${split}`);
  const title = model === undefined ? setTitle({ source: "evaluation", step }) : visibleLine(model);
  return `${title}, ${tasks}, ${formatTemperature(temperature)}`;
}
