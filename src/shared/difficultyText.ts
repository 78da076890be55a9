/** How other models did on a task, as display text. */

import * as l10n from "@vscode/l10n";
import { formatReward, plural } from "./format.ts";

interface KnownDifficulty {
  readonly meanReward: number;
  readonly minReward: number | null;
  readonly maxReward: number | null;
  readonly rollouts: number | null;
}

/** `mean reward 0.42, from 0.00 to 1.00, in 12 rollouts of others` */
export function difficultyText({
  meanReward,
  minReward,
  maxReward,
  rollouts,
}: KnownDifficulty): string {
  const mean = l10n.t("mean reward {0}", formatReward(meanReward));
  const range =
    minReward === null || maxReward === null
      ? []
      : [l10n.t("from {0} to {1}", formatReward(minReward), formatReward(maxReward))];
  const count =
    rollouts === null
      ? []
      : [plural(rollouts, "in {0} rollout of others", "in {0} rollouts of others")];
  return [mean, ...range, ...count].join(", ");
}
