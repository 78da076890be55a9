/** How a rollout ended, as one word or number for lists of rollouts. */

import * as l10n from "@vscode/l10n";
import { formatReward } from "./format.ts";

export interface RolloutOutcome {
  readonly reward: number | null;
  readonly stop: string;
}

/** The stop reason of a demonstration, which has no reward. */
export const EXAMPLE_STOP = "example";

export function isExample({ stop }: Pick<RolloutOutcome, "stop">): boolean {
  return stop === EXAMPLE_STOP;
}

export function isFailedOutcome(outcome: RolloutOutcome): boolean {
  return outcome.reward === null && !isExample(outcome);
}

/** The reward, or why there is none. */
export function outcomeText({ reward, stop }: RolloutOutcome): string {
  if (reward !== null) return formatReward(reward);
  return isExample({ stop }) ? l10n.t("example") : l10n.t("failed");
}
