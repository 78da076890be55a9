/** Writes the rollouts of a run: bodies as they end, scores and token data at the end of the step. */

import type { FolderFiles } from "../ports.ts";
import type { Redactor } from "../secrets/redaction/redactor.ts";
import { encodeJsonLine } from "../util/jsonl.ts";
import { stepPaths } from "./layout.ts";
import { type IndexLine, type RolloutRecord, summarizeRollout } from "./rolloutRecord.ts";
import { encodeTokenRecord, type TokenRecord } from "./tokenRecord.ts";

export interface RolloutScore {
  readonly group: number;
  readonly rollout: number;
  /** Null when the rollout has none because it was excluded. */
  readonly advantage: number | null;
  readonly trainingUse: "trained" | `excluded:${string}`;
}

/** All methods throw AppError `disk`. */
export interface RolloutStore {
  /** Call when a rollout ends: writes its body, then the summary that makes it visible. */
  addRollout(record: RolloutRecord): Promise<void>;
  /** Call at the end of the step, once. */
  addScores(step: number, scores: readonly RolloutScore[]): Promise<void>;
  /** Call after the trainer's log-probabilities are known. */
  addTokens(step: number, records: readonly TokenRecord[]): Promise<void>;
}

export interface RolloutStoreOptions {
  readonly fileSystem: FolderFiles;
  /** Cleans every record: a tool may have answered with a secret that it was given. */
  readonly redactor: Redactor;
  /** The run folder. */
  readonly folder: string;
}

/** Token records are written in batches of about this size, because a write for each would be slow. */
const BATCH_BYTES = 1024 * 1024;
const MAX_LOT_RECORDS = 256;

export function createRolloutStore(options: RolloutStoreOptions): RolloutStore {
  const { fileSystem, folder, redactor } = options;
  const addLines = async (step: number, lines: readonly IndexLine[]): Promise<void> => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    if (text !== "") await fileSystem.append(stepPaths(folder, step).index, text);
  };
  return {
    addRollout: async (record) => {
      const cleaned = redactor.redactRecord(record);
      const body = encodeJsonLine(cleaned);
      const offset = await fileSystem.append(stepPaths(folder, record.step).bodies, body);
      await addLines(record.step, [summarizeRollout(cleaned, { offset, length: body.length - 1 })]);
    },
    addScores: (step, scores) =>
      addLines(
        step,
        scores.map((score) => ({ kind: "scored", step, ...score })),
      ),
    addTokens: async (step, records) => {
      const lines: IndexLine[] = [];
      for (let next = 0; next < records.length; ) {
        const lot = takeBatch(records.slice(next, next + MAX_LOT_RECORDS));
        next += lot.length;
        const bytes = joinBytes(lot.map((one) => one.bytes));
        let offset = await fileSystem.append(stepPaths(folder, step).tokens, bytes);
        for (const { record, bytes: own } of lot) {
          const { group, rollout, stream } = record;
          lines.push({ kind: "tokens", step, group, rollout, stream, offset, length: own.length });
          offset += own.length;
        }
      }
      await addLines(step, lines);
    },
  };
}

interface EncodedRecord {
  readonly record: TokenRecord;
  readonly bytes: Uint8Array;
}

/** The first records, up to the one that fills the batch. */
function takeBatch(records: readonly TokenRecord[]): readonly EncodedRecord[] {
  const lot: EncodedRecord[] = [];
  let size = 0;
  for (const record of records) {
    const bytes = encodeTokenRecord(record);
    lot.push({ record, bytes });
    size += bytes.length;
    if (size >= BATCH_BYTES) break;
  }
  return lot;
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
