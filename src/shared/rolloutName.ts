/** Display names of rollouts. */

import * as l10n from "@vscode/l10n";
import { formatCount } from "./format.ts";
import type { RolloutKey } from "./rolloutSet.ts";

/** Counts from 1. */
export function rolloutName({ source, step, group, rollout }: RolloutKey): string {
  const from =
    source === "training"
      ? l10n.t("step {0}", formatCount(step + 1))
      : l10n.t("evaluation after {0}", formatCount(step));
  return l10n.t("{0}, group {1}, rollout {2}", from, group + 1, rollout + 1);
}

/** Explains the difference between field values, which count from 0, and the screen, which counts from 1. */
export function shownAs(rollout: RolloutKey): string {
  return l10n.t(
    "{0} (counted from 1, as on the screen; the fields below count from 0)",
    rolloutName(rollout),
  );
}
