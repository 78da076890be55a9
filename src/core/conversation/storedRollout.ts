/** A position in a stored rollout: the ids that the model read there, and how to get there in a new session. */

import { isSame } from "../config/fields/sameValue.ts";
import { AppError } from "../errors.ts";
import { beginsWithImages, type ImageFile } from "../images/imageFile.ts";
import type { ToolAnswer } from "../rollout/runCalls.ts";
import type { SampledTurn } from "../rollout/sampleTurn.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import type { TokenRecord } from "../runFolder/rollouts/tokenRecord.ts";
import type { Conversation } from "./conversation.ts";

export interface StoredTurn {
  readonly record: RolloutRecord;
  /** Token data, one entry for each stream. */
  readonly streams: readonly TokenRecord[];
  /** From 0. The turn to sample again. */
  readonly turn: number;
  /** Images of the rollout, for ids below 0. */
  readonly images: readonly ImageFile[];
}

/** Token ids sent before the turn. @throws AppError `no-such-number`, `no-token-data` */
export function contextBefore({
  record,
  streams,
  turn,
}: Omit<StoredTurn, "images">): readonly number[] {
  const { stream, start } = turnStart(record, streams, turn);
  return Array.from(stream.ids).slice(0, start);
}

/**
 * Replays the turns before the position: the model's turns as sampled, and their calls in the session of `conversation`. The
 * resulting context then equals the stored ids.
 * @throws AppError `task-not-repeatable` when the environment answers differently or the texts result in other ids;
 * `environment-*`
 */
export async function replayTo(
  conversation: Conversation,
  stored: StoredTurn,
  signal: AbortSignal,
): Promise<void> {
  const { record, streams, turn } = stored;
  for (const [i, { nudge, results }] of record.turns.slice(0, turn).entries()) {
    conversation.adopt(sampledTurn(record, streams, i));
    if (conversation.next === "message") await conversation.say(nudge ?? "");
    else requireSame(await conversation.runCalls(signal), results, i);
  }
  const isSameContext = isSame(conversation.context, contextBefore(stored));
  const areSameImages = beginsWithImages(stored.images, conversation.images);
  if (!isSameContext || !areSameImages) throw notRepeatable("the prompt or an answer has changed");
}

function sampledTurn(
  record: RolloutRecord,
  streams: readonly TokenRecord[],
  turn: number,
): SampledTurn {
  const { stream, start } = turnStart(record, streams, turn);
  const end = start + (record.turns[turn]?.tokens ?? 0);
  const isTrained = stream.mask[start] === 1;
  return {
    tokens: Array.from(stream.ids).slice(start, end),
    logprobs: isTrained ? Array.from(stream.samplerLogprobs).slice(start, end) : null,
    stopReason: record.turns[turn]?.stopReason === "length" ? "length" : "stop",
    wereMissing: !isTrained,
  };
}

/** Where the sampled ids of a turn begin. */
function turnStart(
  { turns }: RolloutRecord,
  streams: readonly TokenRecord[],
  turn: number,
): { readonly stream: TokenRecord; readonly start: number } {
  if (turns[turn] === undefined) {
    throw new AppError(
      "no-such-number",
      `There is no turn ${turn + 1} in this rollout. It has ${turns.length}.`,
    );
  }
  for (const stream of streams) {
    const start = Array.from(stream.turns).indexOf(turn);
    if (start !== -1) return { stream, start };
  }
  throw new AppError(
    "no-token-data",
    "The tokens of this rollout are not stored. Choose a rollout that was trained on, or one from an evaluation; `tinker-rl show RUN_FOLDER --step N` shows which.",
  );
}

function requireSame(
  answers: readonly ToolAnswer[],
  results: RolloutRecord["turns"][number]["results"],
  turn: number,
): void {
  const records = answers.map(({ record }) => record);
  if (isSame(records, results)) return;
  throw notRepeatable(`in turn ${turn + 1} it gives another answer`);
}

function notRepeatable(why: string): AppError {
  return new AppError(
    "task-not-repeatable",
    `The rollout cannot be replayed to this point: ${why}. The environment's state at this point is lost. Continue without --replay, and answer calls yourself.`,
  );
}
