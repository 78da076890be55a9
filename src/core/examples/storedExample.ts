/** Makes a demonstration of a stored rollout, in the ids in which the model read and wrote it. */

import { Ledger } from "../rollout/ledger.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import type { TokenRecord } from "../runFolder/rollouts/tokenRecord.ts";

/** A part of a stream: what stands before a turn, or a turn of the model. */
interface Part {
  readonly start: number;
  readonly end: number;
  /** Null for context. */
  readonly turn: number | null;
}

/**
 * The streams with every turn of the model trained, or the last one alone; null when tokens of a turn are not stored. A turn of a person or
 * of another model is trained as well: no log-probability is needed.
 */
export function storedStreams(
  { turns }: Pick<RolloutRecord, "turns">,
  stored: readonly TokenRecord[],
  trainOn: "all_turns" | "last_turn",
): readonly Ledger[] | null {
  const ordered = stored.toSorted((a, b) => a.stream - b.stream);
  const seen = new Set<number>();
  const streams = ordered.map((stream) => {
    const ledger = new Ledger([]);
    const all = Array.from(stream.ids);
    for (const { start, end, turn } of partsOf(stream, turns)) {
      const ids = all.slice(start, end);
      if (turn === null) ledger.addContext([], ids);
      else {
        seen.add(turn);
        ledger.addGivenTurn(ids, trainOn === "all_turns" || turn === turns.length - 1);
      }
    }
    return ledger;
  });
  return seen.size === turns.length && turns.length > 0 ? streams : null;
}

/** A turn's own tokens come first among those that are counted to it; what leads to the next turn follows. */
function partsOf(stream: TokenRecord, turns: RolloutRecord["turns"]): readonly Part[] {
  const { length } = stream.ids;
  const parts: Part[] = [];
  let at = 0;
  while (at < length) {
    const turn = stream.turns[at] ?? -1;
    const start = at;
    while (at < length && stream.turns[at] === turn) at += 1;
    const sampled = turn < 0 ? 0 : Math.min(at - start, turns[turn]?.tokens ?? 0);
    if (sampled > 0) parts.push({ start, end: start + sampled, turn });
    if (start + sampled < at) parts.push({ start: start + sampled, end: at, turn: null });
  }
  return parts;
}
