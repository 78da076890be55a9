/** Writes the rollouts of a run: bodies as they end, scores and token data at the end of the step. */

import type { FileSystem } from "../ports.ts";
import type { Redactor } from "../secrets/redact.ts";
import { encodeJsonLine } from "../util/jsonl.ts";
import { stepPaths } from "./layout.ts";
import { type IndexLine, type RolloutRecord, summarizeRollout } from "./rolloutRecord.ts";
import { encodeTokenRecord, type TokenRecord } from "./tokenRecord.ts";

export interface RolloutScore {
  readonly group: number;
  readonly rollout: number;
  /** Null when the rollout has none because it was excluded. */
  readonly advantage: number | null;
  readonly fate: "trained" | `excluded:${string}`;
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

export interface RolloutStoreParts {
  readonly fileSystem: FileSystem;
  /** Cleans every record: a tool may have answered with a secret that it was given. */
  readonly redactor: Redactor;
  /** The run folder. */
  readonly folder: string;
}

export function createRolloutStore(parts: RolloutStoreParts): RolloutStore {
  const { fileSystem, folder, redactor } = parts;
  const addLines = async (step: number, lines: readonly IndexLine[]): Promise<void> => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    if (text !== "") await fileSystem.append(stepPaths(folder, step).index, text);
  };
  return {
    addRollout: async (record) => {
      const cleaned = redactor.cleanRecord(record);
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
      for (const record of records) {
        const bytes = encodeTokenRecord(record);
        const offset = await fileSystem.append(stepPaths(folder, step).tokens, bytes);
        const { group, rollout, stream } = record;
        lines.push({ kind: "tokens", step, group, rollout, stream, offset, length: bytes.length });
      }
      await addLines(step, lines);
    },
  };
}
