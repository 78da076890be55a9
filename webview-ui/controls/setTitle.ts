/** The title of a step or evaluation. */

import { formatTemperature } from "../../src/shared/format.ts";
import type { RolloutSet } from "../../src/shared/rolloutSet.ts";
import type { EvaluatedCell } from "../model/evaluationCell.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";

export function setTitle({ source, step }: RolloutSet): string {
  const text = strings.trajectories;
  return source === "training" ? text.stepTitle(step + 1) : text.evaluationTitle(step);
}

export function cellTitle({ step, environment, split, temperature, model }: EvaluatedCell): string {
  const tasks = visibleLine(`${environment} ${split}`);
  const title = model === undefined ? setTitle({ source: "evaluation", step }) : visibleLine(model);
  return `${title}, ${tasks}, ${formatTemperature(temperature)}`;
}
