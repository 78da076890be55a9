/**
 * The stored form of a group that ended before its step: the length of its lines as u32, little-endian, a JSON line for each rollout, then
 * the token records of all streams in their order (`runFolder/tokenRecord.ts`).
 */

import * as z from "zod";
import { Ledger } from "../rollout/ledger.ts";
import type { FinishedRollout } from "../rollout/rollout.ts";
import { rolloutRecordSchema } from "../runFolder/rolloutRecord.ts";
import { rolloutFactsSchema } from "../runFolder/stepFacts.ts";
import {
  decodeTokenRecord,
  encodeTokenRecord,
  tokenRecordLength,
} from "../runFolder/tokenRecord.ts";
import { concatBytes } from "../util/concatBytes.ts";
import { encodeJsonLine, parseJsonLines } from "../util/jsonl.ts";
import { hasNonfiniteReward } from "./healthMetrics.ts";

const rolloutLine = z.object({
  record: rolloutRecordSchema,
  facts: rolloutFactsSchema,
  reward: z.number().nullable(),
  stack: z.string().nullable(),
  /** JSON has no such numbers. */
  hasNonfiniteReward: z.boolean(),
  streams: z.number().int().nonnegative(),
});

const HEADER_BYTES = 4;

export function encodeGroup(rollouts: readonly FinishedRollout[]): Uint8Array {
  const lines = rollouts.map((rollout) => {
    const { record, facts, reward, stack, streams } = rollout;
    return encodeJsonLine({
      ...{ record, facts, reward, stack, streams: streams.length },
      hasNonfiniteReward: hasNonfiniteReward(rollout),
    });
  });
  const text = concatBytes(lines);
  const header = new Uint8Array(HEADER_BYTES);
  new DataView(header.buffer).setUint32(0, text.length, true);
  const tokens = rollouts.flatMap(({ streams, task: { group, rollout } }) =>
    streams.map(({ tokens: ids, logprobs, mask, turns }, stream) =>
      encodeTokenRecord({
        ...{ group, rollout, stream, ids, turns, mask },
        samplerLogprobs: logprobs,
        trainerLogprobs: new Float32Array(ids.length).fill(Number.NaN),
        advantages: new Float32Array(ids.length),
      }),
    ),
  );
  return concatBytes([header, text, ...tokens]);
}

/** Without the images, which the record names; null for what is no whole group. */
export function decodeGroup(bytes: Uint8Array): readonly FinishedRollout[] | null {
  if (bytes.length < HEADER_BYTES) return null;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  let at = HEADER_BYTES + length;
  if (bytes.length < at) return null;
  const { lines, brokenLines } = parseJsonLines(bytes.subarray(HEADER_BYTES, at));
  if (brokenLines > 0) return null;
  const rollouts: FinishedRollout[] = [];
  for (const { value } of lines) {
    const line = rolloutLine.safeParse(value).data;
    if (line === undefined) return null;
    const streams = [];
    for (let stream = 0; stream < line.streams; stream += 1) {
      const record = decodeTokenRecord(bytes.subarray(at));
      if (record === null) return null;
      at += tokenRecordLength(record.ids.length);
      streams.push(Ledger.restore(record));
    }
    rollouts.push(asRollout(line, streams));
  }
  return rollouts;
}

function asRollout(
  { record, facts, reward, stack, hasNonfiniteReward: isNonfinite }: z.infer<typeof rolloutLine>,
  streams: FinishedRollout["streams"],
): FinishedRollout {
  const { step, group, rollout, taskKey, environment, split, index } = record;
  const { rewardBreakdown } = record;
  const reduced = isNonfinite ? Number.NaN : rewardBreakdown.reduced;
  return {
    task: { step, group, rollout, taskKey, environment, split, index },
    record: { ...record, rewardBreakdown: { ...rewardBreakdown, reduced } },
    ...{ streams, facts, reward, stack, images: [], scoredFrom: null },
  };
}
