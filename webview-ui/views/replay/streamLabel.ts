/** Labels of a rollout's token streams. */

import * as l10n from "@vscode/l10n";
import type { ReplayTurn } from "../../../src/shared/dashboardTypes.ts";

/** The number of a stream and the turns that were sampled in it. */
export function streamLabel(stream: number, turns: readonly Pick<ReplayTurn, "stream">[]): string {
  const first = turns.findIndex((turn) => turn.stream === stream);
  if (first < 0) return String(stream + 1);
  const last = turns.findLastIndex((turn) => turn.stream === stream);
  return first === last
    ? l10n.t("{0}: turn {1}", stream + 1, first + 1)
    : l10n.t("{0}: turns {1} to {2}", stream + 1, first + 1, last + 1);
}
