/** A place in a stored rollout: the ids that the model read there, and the way there in a fresh session. */

import { isSame } from "../config/fields/sameValue.ts";
import { AppError } from "../errors.ts";
import { beginsWithImages, type ImageFile } from "../images/imageFile.ts";
import type { SampledTurn } from "../rollout/sampleTurn.ts";
import type { ToolAnswer } from "../rollout/toolCalls.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import type { TokenRecord } from "../runFolder/rollouts/tokenRecord.ts";
import type { Conversation } from "./conversation.ts";

export interface StoredTurn {
  readonly record: RolloutRecord;
  /** Its token data, one for each stream. */
  readonly streams: readonly TokenRecord[];
  /** From 0; the turn that is to be sampled again. */
  readonly turn: number;
  /** Those of the rollout, which its ids below 0 stand for. */
  readonly images: readonly ImageFile[];
}

/** Ids that the model read before the turn, as they were sent. @throws AppError `no-such-number`, `no-token-data` */
export function contextBefore({
  record,
  streams,
  turn,
}: Omit<StoredTurn, "images">): readonly number[] {
  const { stream, start } = placeOf(record, streams, turn);
  return Array.from(stream.ids).slice(0, start);
}

/**
 * Plays the turns before the place: the model's as they were sampled, their calls in the session of `conversation`. The ids of its
 * context then equal those that are stored.
 * @throws AppError `task-not-repeatable` when the environment answers otherwise than it did, or the texts became other ids; `environment-*`
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
  const { stream, start } = placeOf(record, streams, turn);
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
function placeOf(
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
