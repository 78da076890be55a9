/**
 * `usage.jsonl`: the tokens of all requests of a run, once each and whatever became of them, and the run's elapsed time. The file
 * only grows and is never superseded, so its sum is everything requested from the service. Budgets and all totals are this sum.
 */

import * as z from "zod";
import { errorMessage } from "../errors.ts";
import type { FolderFiles, Log } from "../ports.ts";
import {
  addTokens,
  countTokens,
  NO_TOKENS,
  type TokenUsage,
  tokenUsageSchema,
} from "../usage/tokenUsage.ts";
import { runPaths } from "./files/layout.ts";
import { readLines } from "./files/lineReader.ts";

const count = z.number().int().nonnegative();
/** The run's elapsed time so far, over all attempts and without pauses. */
const seconds = z.number().nonnegative();

export const usageEntry = z.discriminatedUnion("for", [
  /** A training rollout, including its repeated attempts. */
  z.object({
    for: z.literal("rollout"),
    /** Position of its task in the endless list of tasks. */
    position: count,
    /** Number of completed steps of the weights that sampled it. */
    version: count,
    rollout: count,
    tokens: tokenUsageSchema,
    /** Tokens of its training data if it is trained on; absent if it has none. */
    data: count.optional(),
  }),
  /** A step's update, including the requests that prepared it. */
  z.object({ for: z.literal("update"), step: count, tokens: tokenUsageSchema }),
  /** An evaluation rollout. Older runs have no environment and temperature. */
  z.object({
    for: z.literal("evaluation"),
    step: count,
    environment: z.string().optional(),
    temperature: z.number().optional(),
    tokens: tokenUsageSchema,
    /** Set when rollouts are collected, where no row has the time; absent in other evaluations. */
    seconds: seconds.optional(),
  }),
  z.object({ for: z.literal("server_check"), step: count, tokens: tokenUsageSchema }),
  /** A step's row: its totals are the sum of all lines before it. */
  z.object({ for: z.literal("row"), step: count, seconds }),
  /** The end of an attempt. */
  z.object({ for: z.literal("stop"), seconds }),
]);

export type UsageEntry = z.infer<typeof usageEntry>;
export type EvaluationUsage = Extract<UsageEntry, { for: "evaluation" }>;
type GroupOfUsage = Pick<Extract<UsageEntry, { for: "rollout" }>, "position" | "version">;

export interface LoggedUsage {
  /** Everything except evaluations. */
  readonly training: TokenUsage;
  /** The part of `training` for rollouts that wait for their step. */
  readonly waiting: TokenUsage;
  readonly evaluation: TokenUsage;
  /** The run's elapsed time. */
  readonly seconds: number;
}

export interface UsageLog {
  /** Usage so far without evaluations, after {@link UsageLog.read} has added earlier attempts. */
  readonly cumulative: TokenUsage;
  /** The same for evaluations. */
  readonly evaluation: TokenUsage;
  /** Sums up the file; call it before adding entries. `isWaiting` says whether a group is stored and waits for its step. */
  read(isWaiting: (group: GroupOfUsage) => boolean): Promise<LoggedUsage>;
  /** Writes soon, batching several calls. Ignores an entry without tokens. */
  add(entry: UsageEntry): void;
  /** Resolves once everything is written. @throws AppError `disk` */
  flush(): Promise<void>;
}

export function createUsageLog({
  fileSystem,
  folder,
  log,
}: {
  readonly fileSystem: FolderFiles;
  readonly folder: string;
  readonly log: Log;
}): UsageLog {
  let [cumulative, evaluation] = [NO_TOKENS, NO_TOKENS];
  let lines = "";
  let writing: Promise<void> | null = null;
  const write = async (): Promise<void> => {
    while (lines !== "") {
      const text = lines;
      lines = "";
      await fileSystem.append(runPaths(folder).usage, text);
    }
  };
  const start = (): Promise<void> => {
    writing ??= write().finally(() => {
      writing = null;
    });
    return writing;
  };
  return {
    get cumulative() {
      return cumulative;
    },
    get evaluation() {
      return evaluation;
    },
    read: async (isWaiting) => {
      const logged = await readUsage(fileSystem, folder, isWaiting);
      cumulative = logged.training;
      evaluation = logged.evaluation;
      return logged;
    },
    add: (entry) => {
      if ("tokens" in entry) {
        if (countTokens(entry.tokens) === 0) return;
        if (entry.for === "evaluation") evaluation = addTokens(evaluation, entry.tokens);
        else cumulative = addTokens(cumulative, entry.tokens);
      }
      lines += `${JSON.stringify(entry)}\n`;
      start().catch((error: unknown) =>
        log.warn("Token usage could not be recorded.", { reason: errorMessage(error) }),
      );
    },
    flush: async () => {
      await start();
    },
  };
}

/** Skips unreadable lines. @throws AppError `file-unreadable` */
export async function* usageEntries(
  fileSystem: FolderFiles,
  folder: string,
): AsyncGenerator<UsageEntry, void> {
  for await (const { value } of readLines(fileSystem, runPaths(folder).usage)) {
    const entry = parseUsageEntry(value);
    if (entry !== undefined) yield entry;
  }
}

/** Undefined if the value is not a line of the file. */
export function parseUsageEntry(value: unknown): UsageEntry | undefined {
  return usageEntry.safeParse(value).data;
}

/** Like {@link UsageLog.read}. */
export async function readUsage(
  fileSystem: FolderFiles,
  folder: string,
  isWaiting: (group: GroupOfUsage) => boolean = () => false,
): Promise<LoggedUsage> {
  let [training, evaluation, taken] = [NO_TOKENS, NO_TOKENS, 0];
  // If a rollout was played more than once, the last time counts.
  const waiting = new Map<string, TokenUsage>();
  for await (const entry of usageEntries(fileSystem, folder)) {
    if ("seconds" in entry) taken = Math.max(taken, entry.seconds ?? 0);
    if (!("tokens" in entry)) continue;
    if (entry.for === "evaluation") evaluation = addTokens(evaluation, entry.tokens);
    else training = addTokens(training, entry.tokens);
    if (entry.for !== "rollout" || !isWaiting(entry)) continue;
    const { position, version, rollout, tokens } = entry;
    waiting.set(`${position} ${version} ${rollout}`, tokens);
  }
  const ofWaiting = [...waiting.values()].reduce(addTokens, NO_TOKENS);
  return { training, waiting: ofWaiting, evaluation, seconds: taken };
}
