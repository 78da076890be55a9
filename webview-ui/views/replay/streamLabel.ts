/** How a token stream of a rollout is named. */

import type { ReplayTurn } from "../../../src/shared/dashboardTypes.ts";
import { strings } from "../../strings/strings.ts";

/** The number of a stream, with the turns that were sampled in it. */
export function streamLabel(stream: number, turns: readonly Pick<ReplayTurn, "stream">[]): string {
  const first = turns.findIndex((turn) => turn.stream === stream);
  if (first < 0) return String(stream + 1);
  const last = turns.findLastIndex((turn) => turn.stream === stream);
  return strings.tokens.streamOf(stream + 1, first + 1, last + 1);
}
