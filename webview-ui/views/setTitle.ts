/** What a step or evaluation is called. */

import type { RolloutSet } from "../../src/shared/rolloutSet.ts";
import { strings } from "../strings.ts";

export function setTitle({ source, step }: RolloutSet): string {
  const text = strings.trajectories;
  return source === "training" ? text.stepTitle(step + 1) : text.evaluationTitle(step);
}
