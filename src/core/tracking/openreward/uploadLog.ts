/**
 * `upload.jsonl`: which rollouts have been uploaded. One line is written before a rollout is sent and another once it was
 * accepted, so that a resume knows which arrived, which did not, and which may have.
 */

import * as z from "zod";
import type { FolderFiles } from "../../ports.ts";
import { runPaths } from "../../runFolder/files/layout.ts";
import { readLines } from "../../runFolder/files/lineReader.ts";
import { storedId } from "../../runFolder/files/storedNames.ts";
import { encodeJsonLine, lastLines, parseJsonLines } from "../../util/jsonl.ts";
import { setKey, type UploadSet } from "./uploadSet.ts";

const count = z.int().nonnegative();
/** An {@link UploadSet}. */
const set = { step: count, evaluation: z.string().optional() };
const rollout = { ...set, group: count, rollout: count, id: storedId };
/** Number of scored rollouts waiting once this line is written. */
const waiting = { waiting: count };

const lineSchema = z.discriminatedUnion("kind", [
  /** An attempt at the run starts uploading. */
  z.object({ kind: z.literal("opened"), attempt: count, ...waiting }).readonly(),
  /** A step's rollouts are scored, or an evaluation is complete or about to be repeated. */
  z.object({ kind: z.literal("queued"), attempt: count, ...set, ...waiting }).readonly(),
  /** From this line on, parts of the rollout may have arrived. */
  z.object({ kind: z.literal("sending"), attempt: count, ...rollout, name: z.string() }).readonly(),
  z.object({ kind: z.literal("sent"), ...rollout, ...waiting }).readonly(),
  /** All rollouts of a set have been sent. */
  z.object({ kind: z.literal("complete"), ...set }).readonly(),
]);

export type UploadLine = z.infer<typeof lineSchema>;

/** A rollout that has been sent at least in part. */
export interface SentRollout {
  readonly id: string;
  readonly name: string;
  /** Attempt that played it. */
  readonly attempt: number;
  readonly isWhole: boolean;
}

/** What the log says about a set. */
export interface UploadedSet {
  readonly set: UploadSet;
  /** The attempt that last played it; null if the log does not say. */
  attempt: number | null;
  /** By {@link rolloutKey}; several per rollout if repeats differed. */
  readonly rollouts: Map<string, readonly SentRollout[]>;
}

export interface UploadLogState {
  /** Keys of the sets that are completely sent. */
  readonly complete: ReadonlySet<string>;
  /** All other sets by key, plus those from where the run continues. */
  readonly sets: Map<string, UploadedSet>;
}

const TAIL_BYTES = 64 * 1024;
const TAIL_LINES = 500;
const LINE_FEED = 0x0a;

export function rolloutKey(of: { readonly group: number; readonly rollout: number }): string {
  return `${of.group}/${of.rollout}`;
}

/** Appends one line. @throws AppError `disk` */
export async function appendUploadLine(
  fileSystem: FolderFiles,
  folder: string,
  line: UploadLine,
): Promise<void> {
  await fileSystem.append(runPaths(folder).uploads, encodeJsonLine(line));
}

/** Terminates a half-written last line, since the next line would be appended to it. */
export async function repairUploadLog(fileSystem: FolderFiles, folder: string): Promise<void> {
  const path = runPaths(folder).uploads;
  const size = (await fileSystem.size(path)) ?? 0;
  if (size === 0) return;
  const [last] = await fileSystem.readRange(path, size - 1, 1);
  if (last !== LINE_FEED) await fileSystem.append(path, "\n");
}

/** Reads the log twice, so that sets that are complete and will not be repeated (before step `from`) are not kept in memory. */
export async function readUploadLog(
  fileSystem: FolderFiles,
  folder: string,
  from: number,
): Promise<UploadLogState> {
  const complete = await completeSets(fileSystem, folder);
  const state: UploadLogState = { complete, sets: new Map() };
  for await (const line of uploadLines(fileSystem, folder)) {
    if (!("step" in line) || (complete.has(setKey(line)) && line.step < from)) continue;
    applyUploadLine(state, line);
  }
  return state;
}

/** Applies a log line to its set. */
export function applyUploadLine({ sets }: UploadLogState, line: UploadLine): void {
  if (line.kind === "opened" || line.kind === "complete") return;
  const found: UploadedSet = sets.get(setKey(line)) ?? {
    set: setOf(line),
    attempt: null,
    rollouts: new Map(),
  };
  sets.set(setKey(line), found);
  if (line.kind === "queued") {
    found.attempt = line.attempt;
    return;
  }
  const key = rolloutKey(line);
  const known = found.rollouts.get(key) ?? [];
  const others = known.filter(({ id }) => id !== line.id);
  const same = known.find(({ id }) => id === line.id);
  if (line.kind === "sending" && same === undefined) {
    const { id, name, attempt } = line;
    found.rollouts.set(key, [...known, { id, name, attempt, isWhole: false }]);
  } else if (line.kind === "sent" && same !== undefined) {
    found.rollouts.set(key, [...others, { ...same, isWhole: true }]);
  }
}

async function completeSets(fileSystem: FolderFiles, folder: string): Promise<Set<string>> {
  const complete = new Set<string>();
  for await (const line of uploadLines(fileSystem, folder)) {
    if (line.kind === "complete") complete.add(setKey(line));
    if (line.kind === "queued") complete.delete(setKey(line));
  }
  return complete;
}

function setOf({ step, evaluation }: UploadSet): UploadSet {
  return { step, evaluation };
}

/** Number of scored rollouts still to upload at the end of the log; null if no upload was ever requested. */
export async function waitingUploads(
  fileSystem: FolderFiles,
  folder: string,
): Promise<number | null> {
  const path = runPaths(folder).uploads;
  const size = (await fileSystem.size(path)) ?? 0;
  if (size === 0) return null;
  const start = Math.max(0, size - TAIL_BYTES);
  const tail = await fileSystem.readRange(path, start, size - start);
  const lines = parseJsonLines(lastLines(tail, TAIL_LINES));
  const numbers = lines.flatMap(({ value }) => {
    const line = lineSchema.safeParse(value).data;
    return line !== undefined && "waiting" in line ? [line.waiting] : [];
  });
  return numbers.at(-1) ?? null;
}

async function* uploadLines(fileSystem: FolderFiles, folder: string): AsyncGenerator<UploadLine> {
  for await (const { value } of readLines(fileSystem, runPaths(folder).uploads)) {
    const line = lineSchema.safeParse(value).data;
    if (line !== undefined) yield line;
  }
}
