/**
 * `usage.jsonl`: the tokens of all requests of a run, each once, whatever came of it. The file only grows and nothing in it is ever
 * superseded, so that its sum is what the service was asked for.
 */

import * as z from "zod";
import { errorMessage } from "../errors.ts";
import type { FolderFiles, Log } from "../ports.ts";
import {
  addTokens,
  NO_TOKENS,
  subtractTokens,
  type TokenUsage,
  tokenUsageSchema,
} from "../usage/tokenUsage.ts";
import { runPaths } from "./files/layout.ts";
import { readLines } from "./files/lineReader.ts";

const count = z.number().int().nonnegative();

const usageEntry = z.discriminatedUnion("for", [
  /** A rollout of training, its repeated attempts included. */
  z.object({
    for: z.literal("rollout"),
    /** Of its task, in the endless list of tasks. */
    position: count,
    /** Completed steps when the weights came to be that sampled it. */
    version: count,
    rollout: count,
    tokens: tokenUsageSchema,
    /** Tokens of the data that it gives when it is trained on; absent without any, and in files of earlier versions. */
    data: count.optional(),
  }),
  /** A step's update, with what was asked for it. */
  z.object({ for: z.literal("update"), step: count, tokens: tokenUsageSchema }),
  z.object({ for: z.literal("evaluation"), step: count, tokens: tokenUsageSchema }),
  z.object({ for: z.literal("server_check"), step: count, tokens: tokenUsageSchema }),
  /** What the run had taken when an earlier version of the program, which kept no such file, ended. */
  z.object({ for: z.literal("earlier_version"), tokens: tokenUsageSchema }),
]);

export type UsageEntry = z.infer<typeof usageEntry>;
type GroupOfUsage = Pick<Extract<UsageEntry, { for: "rollout" }>, "position" | "version">;

export interface LoggedUsage {
  /** Of everything but evaluations, and rollouts that wait for their step. */
  readonly training: TokenUsage;
  readonly evaluation: TokenUsage;
  readonly isEmpty: boolean;
}

export interface UsageLog {
  /** Of all evaluations of the run, once {@link UsageLog.read} has summed up what earlier attempts have left. */
  readonly evaluation: TokenUsage;
  /** Sums the file up, before anything is added; `isWaiting` says of a group whether it is stored and waits for its step. */
  read(isWaiting: (group: GroupOfUsage) => boolean): Promise<LoggedUsage>;
  /** Writes soon; what several calls give is written together. Takes no entry without tokens. */
  add(entry: UsageEntry): void;
  /** Resolves when everything is written. @throws AppError `disk` */
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
  let evaluation = NO_TOKENS;
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
    get evaluation() {
      return evaluation;
    },
    read: async (isWaiting) => {
      const logged = await readUsage(fileSystem, folder, isWaiting);
      evaluation = logged.evaluation;
      return logged;
    },
    add: (entry) => {
      if (Object.values(entry.tokens).every((tokens) => tokens === 0)) return;
      if (entry.for === "evaluation") evaluation = addTokens(evaluation, entry.tokens);
      lines += `${JSON.stringify(entry)}\n`;
      start().catch((error: unknown) =>
        log.warn("Tokens could not be written down.", { reason: errorMessage(error) }),
      );
    },
    flush: async () => {
      await start();
    },
  };
}

/** From byte `from` on. Lines that cannot be read are left out. @throws AppError `file-unreadable` */
export async function* usageEntries(
  fileSystem: FolderFiles,
  folder: string,
  from = 0,
): AsyncGenerator<UsageEntry, void> {
  for await (const { value } of readLines(fileSystem, runPaths(folder).usage, from)) {
    const entry = usageEntry.safeParse(value).data;
    if (entry !== undefined) yield entry;
  }
}

/** As {@link UsageLog.read}. */
export async function readUsage(
  fileSystem: FolderFiles,
  folder: string,
  isWaiting: (group: GroupOfUsage) => boolean = () => false,
): Promise<LoggedUsage> {
  let [total, evaluation, isEmpty] = [NO_TOKENS, NO_TOKENS, true];
  // Of one that was played more than once, the last time.
  const waiting = new Map<string, TokenUsage>();
  for await (const entry of usageEntries(fileSystem, folder)) {
    isEmpty = false;
    if (entry.for === "evaluation") evaluation = addTokens(evaluation, entry.tokens);
    else total = addTokens(total, entry.tokens);
    if (entry.for !== "rollout" || !isWaiting(entry)) continue;
    const { position, version, rollout, tokens } = entry;
    waiting.set(`${position} ${version} ${rollout}`, tokens);
  }
  const training = subtractTokens(total, [...waiting.values()].reduce(addTokens, NO_TOKENS));
  return { training, evaluation, isEmpty };
}
