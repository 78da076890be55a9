/**
 * The stored form of a group that ended before its step: the length of its lines as u32, little-endian, a JSON line for each rollout, then
 * the token ids of all streams as i32 and their log-probabilities as f32, both in the order of the lines.
 */

import * as z from "zod";
import { Ledger, TOKEN_SOURCES, type TokenRun } from "../rollout/ledger.ts";
import type { FinishedRollout } from "../rollout/rollout.ts";
import { rolloutRecordSchema } from "../runFolder/rolloutRecord.ts";
import { rolloutFactsSchema } from "../runFolder/stepFacts.ts";
import { concatBytes } from "../util/concatBytes.ts";
import { encodeJsonLine, parseJsonLines } from "../util/jsonl.ts";
import { sum } from "../util/stats.ts";
import { hasNonfiniteReward } from "./healthMetrics.ts";

const tokenRun = z.object({
  end: z.number().int().positive(),
  source: z.enum(TOKEN_SOURCES),
  turn: z.number().int(),
  isTrained: z.boolean(),
}) satisfies z.ZodType<TokenRun>;

/** True for runs of which each holds a token. */
function areRising(runs: readonly TokenRun[]): boolean {
  return runs.every(({ end }, i) => end > (runs[i - 1]?.end ?? 0));
}

const rolloutLine = z.object({
  record: rolloutRecordSchema,
  facts: rolloutFactsSchema,
  reward: z.number().nullable(),
  stack: z.string().nullable(),
  /** JSON has no such numbers. */
  hasNonfiniteReward: z.boolean(),
  /** One entry a stream. */
  streams: z.array(z.array(tokenRun).refine(areRising)),
});

const HEADER_BYTES = 4;
const BYTES_PER_NUMBER = 4;

export function encodeGroup(rollouts: readonly FinishedRollout[]): Uint8Array {
  const lines = rollouts.map((rollout) => {
    const { record, facts, reward, stack, streams } = rollout;
    return encodeJsonLine({
      ...{ record, facts, reward, stack, streams: streams.map(({ runs }) => runs) },
      hasNonfiniteReward: hasNonfiniteReward(rollout),
    });
  });
  const header = new Uint8Array(HEADER_BYTES);
  new DataView(header.buffer).setUint32(0, sum(lines.map(({ length }) => length)), true);
  const streams = rollouts.flatMap((rollout) => rollout.streams);
  const arrays = [...streams.map(({ tokens }) => tokens), ...streams.map((own) => own.logprobs)];
  return concatBytes([header, ...lines, ...arrays.map(bytesOf)]);
}

/** Without a copy; every machine this runs on is little-endian. */
function bytesOf({ buffer, byteOffset, byteLength }: Int32Array | Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Without the images, which the record names; null for what is no whole group. */
export function decodeGroup(bytes: Uint8Array): readonly FinishedRollout[] | null {
  if (bytes.length < HEADER_BYTES) return null;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const end = HEADER_BYTES + length;
  if (bytes.length < end) return null;
  const { lines, brokenLines } = parseJsonLines(bytes.subarray(HEADER_BYTES, end));
  if (brokenLines > 0) return null;
  const parsed = lines.flatMap(({ value }) => rolloutLine.safeParse(value).data ?? []);
  const count = sum(parsed.flatMap(({ streams }) => streams.map(lengthOf)));
  if (parsed.length < lines.length || bytes.length !== end + 2 * BYTES_PER_NUMBER * count) {
    return null;
  }
  // Two arrays for all streams: without the text, which the rest of the bytes would keep in memory.
  const numbers = (at: number) =>
    new Uint8Array(bytes.subarray(at, at + BYTES_PER_NUMBER * count)).buffer;
  const tokens = new Int32Array(numbers(end));
  const logprobs = new Float32Array(numbers(end + BYTES_PER_NUMBER * count));
  let from = 0;
  return parsed.map((line) => {
    const streams = line.streams.map((runs) => {
      const place = [from, from + lengthOf(runs)] as const;
      [, from] = place;
      const arrays = { tokens: tokens.subarray(...place), logprobs: logprobs.subarray(...place) };
      return Ledger.restore({ ...arrays, runs });
    });
    return asRollout(line, streams);
  });
}

function lengthOf(runs: readonly TokenRun[]): number {
  return runs.at(-1)?.end ?? 0;
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
