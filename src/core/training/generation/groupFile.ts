/**
 * Stored form of a group that finished before its step. Rollouts follow in the order in which they ended, each as: the length of a JSON
 * line (u32, little-endian), the line, the token ids of all streams (i32), their log-probabilities (f32), and the ids of the prompts that
 * a teacher reads instead (i32).
 */

import * as z from "zod";
import { sum } from "../../../shared/mean.ts";
import { Ledger, TOKEN_SOURCES, type TokenRun } from "../../rollout/ledger.ts";
import type { FinishedRollout } from "../../rollout/rollout.ts";
import { rolloutFactsSchema } from "../../runFolder/metrics/stepFacts.ts";
import { rolloutRecordSchema } from "../../runFolder/rollouts/rolloutRecord.ts";
import { concatBytes } from "../../util/concatBytes.ts";
import { encodeJsonLine, parseJsonLines } from "../../util/jsonl.ts";

const tokenRun = z.object({
  end: z.number().int().positive(),
  source: z.enum(TOKEN_SOURCES),
  turn: z.number().int(),
  isTrained: z.boolean(),
  sequence: z.string().optional(),
}) satisfies z.ZodType<TokenRun>;

/** True when every run has at least one token. */
function areRising(runs: readonly TokenRun[]): boolean {
  return runs.every(({ end }, i) => end > (runs[i - 1]?.end ?? 0));
}

const rolloutLine = z.object({
  record: rolloutRecordSchema,
  facts: rolloutFactsSchema,
  stack: z.string().nullable(),
  /** One entry per stream. */
  streams: z.array(z.array(tokenRun).refine(areRising)),
  /** Length of the teacher's prompt for each stream, 0 if it is the same; absent if it is the same for all. */
  taught: z.array(z.int().nonnegative()).optional(),
});

const HEADER_BYTES = 4;
const BYTES_PER_NUMBER = 4;

/** Encodes one rollout. The stored form of a group is all its encoded rollouts concatenated. */
export function encodeRollout(rollout: FinishedRollout): Uint8Array {
  const { record, facts, stack, streams } = rollout;
  const taught = streams.map(({ taughtPrompt }) => taughtPrompt ?? new Int32Array());
  const line = encodeJsonLine({
    record,
    facts,
    stack,
    streams: streams.map(({ runs }) => runs),
    taught: taught.some(({ length }) => length > 0)
      ? taught.map(({ length }) => length)
      : undefined,
  });
  const header = new Uint8Array(HEADER_BYTES);
  new DataView(header.buffer).setUint32(0, line.length, true);
  const tokens = streams.map((own) => own.tokens);
  const logprobs = streams.map((own) => own.logprobs);
  const arrays = [...tokens, ...logprobs, ...taught];
  return concatBytes([header, line, ...arrays.map(bytesOf)]);
}

/** A view without copying; all supported machines are little-endian. */
function bytesOf({ buffer, byteOffset, byteLength }: Int32Array | Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The rollouts in order, without images, which the records refer to. Null if the bytes are not a complete group. */
export function decodeGroup(bytes: Uint8Array): readonly FinishedRollout[] | null {
  const rollouts: FinishedRollout[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const first = decodeFirst(rest);
    if (first === null) return null;
    rollouts.push(first.rollout);
    rest = rest.subarray(first.end);
  }
  return rollouts.sort((a, b) => a.record.rollout - b.record.rollout);
}

/** Decodes the first rollout and returns where it ends. */
function decodeFirst(
  bytes: Uint8Array,
): { readonly rollout: FinishedRollout; readonly end: number } | null {
  if (bytes.length < HEADER_BYTES) return null;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const start = HEADER_BYTES + length;
  const [only] = parseJsonLines(bytes.subarray(HEADER_BYTES, start));
  const line = rolloutLine.safeParse(only?.value).data;
  if (line === undefined) return null;
  const count = sum(line.streams.map(lengthOf));
  const taughtCount = sum(line.taught ?? []);
  const end = start + BYTES_PER_NUMBER * (2 * count + taughtCount);
  if (bytes.length < end) return null;
  // Copy, because views would keep the surrounding JSON text in memory.
  const numbers = (at: number, length: number) => {
    const from = start + BYTES_PER_NUMBER * at;
    return new Uint8Array(bytes.subarray(from, from + BYTES_PER_NUMBER * length)).buffer;
  };
  const tokens = new Int32Array(numbers(0, count));
  const logprobs = new Float32Array(numbers(count, count));
  const taught = new Int32Array(numbers(2 * count, taughtCount));
  let [from, taughtFrom] = [0, 0];
  const streams = line.streams.map((runs, i) => {
    const place = [from, from + lengthOf(runs)] as const;
    const taughtPlace = [taughtFrom, taughtFrom + (line.taught?.[i] ?? 0)] as const;
    [[, from], [, taughtFrom]] = [place, taughtPlace];
    const arrays = { tokens: tokens.subarray(...place), logprobs: logprobs.subarray(...place) };
    const prompt = taught.subarray(...taughtPlace);
    return Ledger.restore({
      ...arrays,
      runs,
      taughtPrompt: prompt.length > 0 ? prompt : undefined,
    });
  });
  const { record, facts, stack } = line;
  return { rollout: { record, streams, facts, stack, images: [], scoredFrom: null }, end };
}

function lengthOf(runs: readonly TokenRun[]): number {
  return runs.at(-1)?.end ?? 0;
}
