/** Writes a run's rollouts: bodies as they end, scores and token data at the end of the step. */

import type { FolderFiles } from "../../ports.ts";
import type { Redactor } from "../../secrets/redaction/redactor.ts";
import { concatBytes } from "../../util/concatBytes.ts";
import { encodeJsonLine } from "../../util/jsonl.ts";
import { evalPath, stepPaths, tokensPath } from "../files/layout.ts";
import {
  type EvaluationUse,
  type IndexLine,
  type RolloutRecord,
  type StoredTokenRange,
  summarizeRollout,
} from "./rolloutRecord.ts";
import type { PhasesLine, StepPhases } from "./stepPhases.ts";
import { encodeTokenRecord, type TokenRecord } from "./tokenRecord.ts";

export interface RolloutScore {
  readonly group: number;
  readonly rollout: number;
  /** Null if the rollout was excluded. */
  readonly advantage: number | null;
  /** Advantage of each turn, if they differ because of `credit: reward_to_go`. */
  readonly turnAdvantages?: readonly number[] | undefined;
  readonly trainingUse: "trained" | `excluded:${string}`;
  /** Length penalty subtracted from the reward before the advantage was computed; absent = none. */
  readonly penalty?: number | undefined;
}

/** All methods throw AppError `disk`. */
export interface RolloutStore {
  /** Call when a rollout ends: writes its body, then the summary that makes it visible. */
  addRollout(record: RolloutRecord): Promise<void>;
  /** Call once, at the end of the step. */
  addScores(step: number, scores: readonly RolloutScore[]): Promise<void>;
  /** Call once the trainer's log-probabilities are known. */
  addTokens(step: number, records: Iterable<TokenRecord>): Promise<void>;
  /** Call when a rollout of an evaluation ends: writes its tokens, then the line that refers to them and makes it visible. */
  addEvaluated(
    record: RolloutRecord,
    use: EvaluationUse,
    streams: readonly TokenRecord[],
  ): Promise<void>;
  /** Call when the step is over. */
  addPhases(step: number, phases: StepPhases): Promise<void>;
}

export interface RolloutStoreOptions {
  readonly fileSystem: FolderFiles;
  /** Redacts every record, because a tool may have echoed a secret that it was given. */
  readonly redactor: Redactor;
  /** The run folder. */
  readonly folder: string;
}

/** Token records are written in batches of about this size, because one write per record would be slow. */
const BATCH_BYTES = 1024 * 1024;
const MAX_BATCH_RECORDS = 256;

export function createRolloutStore(options: RolloutStoreOptions): RolloutStore {
  const { fileSystem, folder, redactor } = options;
  const addLines = async (
    step: number,
    lines: readonly (IndexLine | PhasesLine)[],
  ): Promise<void> => {
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
    addPhases: (step, phases) => addLines(step, [{ kind: "phases", step, phases }]),
    addTokens: async (step, records) => {
      const lines: IndexLine[] = [];
      for (const batch of batches(records)) {
        const bytes = concatBytes(batch.map((one) => one.bytes));
        let offset = await fileSystem.append(stepPaths(folder, step).tokens, bytes);
        for (const { group, rollout, stream, bytes: own } of batch) {
          lines.push({ kind: "tokens", step, group, rollout, stream, offset, length: own.length });
          offset += own.length;
        }
      }
      await addLines(step, lines);
    },
    addEvaluated: async (record, use, streams) => {
      const { step } = record;
      const encoded = streams.map((each) => ({ ...each, bytes: encodeTokenRecord(each) }));
      const bytes = concatBytes(encoded.map((each) => each.bytes));
      const path = tokensPath(folder, { source: "evaluation", step });
      let offset = bytes.length === 0 ? 0 : await fileSystem.append(path, bytes);
      const tokenData: StoredTokenRange[] = [];
      for (const { stream, bytes: own } of encoded) {
        tokenData.push({ stream, offset, length: own.length });
        offset += own.length;
      }
      const line = { ...redactor.redactRecord({ ...record, ...use }), tokenData };
      await fileSystem.append(evalPath(folder, step), encodeJsonLine(line));
    },
  };
}

interface EncodedRecord extends Pick<TokenRecord, "group" | "rollout" | "stream"> {
  readonly bytes: Uint8Array;
}

/** Encodes the records one by one, so that only one batch at a time is in memory. */
function* batches(records: Iterable<TokenRecord>): Generator<readonly EncodedRecord[]> {
  let batch: EncodedRecord[] = [];
  let size = 0;
  for (const record of records) {
    const { group, rollout, stream } = record;
    const bytes = encodeTokenRecord(record);
    batch.push({ group, rollout, stream, bytes });
    size += bytes.length;
    if (size < BATCH_BYTES && batch.length < MAX_BATCH_RECORDS) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}
