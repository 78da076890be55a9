/** Demonstrations from a run folder: its filtered rollouts, with the token ids as sampled. */

import { taskId } from "../../shared/taskId.ts";
import type { Config } from "../config/fields/schema.ts";
import { AppError } from "../errors.ts";
import type { FolderFiles } from "../ports.ts";
import { Ledger } from "../rollout/ledger.ts";
import { createRunReader } from "../runFolder/reader.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import type { TokenRecord } from "../runFolder/rollouts/tokenRecord.ts";
import { chooseRollouts, storedTokens, useFewPerTask } from "./chooseRollouts.ts";
import type { Example } from "./example.ts";

type DataSource = Config["data"][number];

export interface RunExamplesOptions {
  readonly fileSystem: FolderFiles;
  readonly folder: string;
  /** Name for messages and for the examples. */
  readonly name: string;
  readonly source: DataSource;
  /** Key path of the source, such as `data.0`. */
  readonly configPath: string;
  readonly trainOn: Config["train_on"];
  /** True for a split reserved for evaluation. */
  readonly isTest: (environment: string, split: string) => boolean;
}

export interface RunExamples {
  readonly examples: readonly Example[];
  /** Rollouts that pass the filters but have no stored tokens. */
  readonly withoutTokens: number;
  /** Rollouts that pass the filters but have images, which examples do not support. */
  readonly withImages: number;
}

/** @throws AppError `data-from-test`, `no-examples`, `file-unreadable` */
export async function runExamples(options: RunExamplesOptions): Promise<RunExamples> {
  const { fileSystem, folder, name, source, configPath, trainOn, isTest } = options;
  const reader = createRunReader(fileSystem, folder);
  const { where, starred, tags, max_per_task: maxPerTask } = source;
  const chosen = await chooseRollouts(reader, { where, starred, tags });
  let withoutTokens = 0;
  let withImages = 0;
  const used = await useFewPerTask(chosen, maxPerTask, async (rollout) => {
    const { summary } = rollout;
    const { environment: of, split: from } = summary;
    if (isTest(of, from)) throw fromTest(configPath, name, of, from);
    const record = await reader.body(summary);
    if (record !== null && record.images.length > 0) {
      withImages += 1;
      return null;
    }
    const stored = await storedTokens(reader, rollout);
    const streams = record === null ? null : storedStreams(record, stored, trainOn);
    if (record === null || streams === null) {
      withoutTokens += 1;
      return null;
    }
    const { step: _, group: _g, rollout: _r, taskKey: _k, attempt: _a, ...kept } = record;
    const { environment: _e, split: _p, index: _i, ...own } = kept;
    const task = taskId(record);
    return { source: name, task, split: "train", streams, record: own } as const;
  });
  const examples = used.map((example, index) => ({ ...example, index }));
  if (examples.length > 0) return { examples, withoutTokens, withImages };
  const why =
    withImages > 0
      ? `${withImages} of its rollouts have images, and only text can be trained on`
      : withoutTokens > 0
        ? `the tokens of ${withoutTokens} of its rollouts are not stored: those of training are, where they were trained, and those of evaluations`
        : "none of its rollouts passes the filters";
  throw new AppError("no-examples", `${configPath}: ${name} gives no example, because ${why}.`, {
    configPath: "data",
  });
}

function fromTest(configPath: string, name: string, environment: string, split: string): AppError {
  return new AppError(
    "data-from-test",
    `${configPath}: ${name} has rollouts of ${environment}, split ${split}, which is reserved for evaluation: training on it would make its results meaningless. Use rollouts of another split.`,
    { configPath: "data" },
  );
}

/** A part of a stream: context, or a turn of the model. */
interface Part {
  readonly start: number;
  readonly end: number;
  /** Null for context. */
  readonly turn: number | null;
}

/**
 * Streams in which all turns of the model are trained, or only the last; null if the tokens of a turn are not stored. Turns
 * written by a person or another model are also trained, because no log-probabilities are needed.
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

/** Each turn's tokens begin with its sampled tokens. The remaining ones are the context before the next turn. */
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
