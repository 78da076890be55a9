/** Moves the records that a resume repeats to `superseded/`, in an order that can be repaired after a crash at any point. */

import type { FolderFiles } from "../ports.ts";
import { concatBytes } from "../util/concatBytes.ts";
import { readEvaluations } from "./evaluationLog.ts";
import {
  evalPath,
  runPaths,
  stepOfFileName,
  supersededFolder,
  tokensPath,
} from "./files/layout.ts";
import { MAX_FILE_BYTES, readLines, stepOfLine } from "./files/lineReader.ts";
import { parseEvaluatedRollout } from "./rollouts/rolloutRecord.ts";

export interface Superseded {
  readonly folder: string;
  /** The attempt whose records are moved. */
  readonly attempt: number;
  /** First step to be repeated. */
  readonly step: number;
  /** True = also repeat a completed evaluation just before `step`; absent = false. */
  readonly repeatsEvaluation?: boolean;
  /** True = replay the finished part of an interrupted evaluation just before `step`, because its settings changed; absent = false. */
  readonly repeatsUnfinished?: boolean;
}

const TAIL_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** The position of a line in its file, without its line feed. */
interface LineRange {
  readonly offset: number;
  readonly length: number;
}

type IsMoved = (step: number) => boolean;

/**
 * Moves metrics rows, rollouts and evaluations of `step` and later to `superseded/attempt-K/`. An evaluation after exactly `step`
 * completed steps stays, because the weights are the same; if it was interrupted, it continues with what is missing. Calling this
 * again completes the move or changes nothing.
 */
export async function supersedeFrom(fileSystem: FolderFiles, what: Superseded): Promise<void> {
  const { folder, step, repeatsEvaluation = false, repeatsUnfinished = false } = what;
  const isRepeated: IsMoved = (at) => at >= step;
  await moveLines(fileSystem, what, "metrics", isRepeated);
  await moveStepFiles(fileSystem, what, "rolloutFolder", isRepeated);
  const isOfOthers: IsMoved = (at) => (repeatsEvaluation ? at >= step : at > step);
  await moveLines(fileSystem, what, "evaluations", isOfOthers);
  const evaluations = await readEvaluations(fileSystem, folder);
  const completed = new Set(evaluations.map((evaluation) => evaluation.step));
  await moveStepFiles(
    fileSystem,
    what,
    "evalFolder",
    (at) => isOfOthers(at) || (repeatsUnfinished && at === step && !completed.has(at)),
  );
}

/** Truncates half-written last lines, since the next line would be appended to them. */
export async function repairTails(fileSystem: FolderFiles, folder: string): Promise<void> {
  const { metrics, events, checkpoints, usage, evalFolder } = runPaths(folder);
  const evaluated = (await fileSystem.list(evalFolder)).filter((name) => name.endsWith(".jsonl"));
  for (const path of [
    metrics,
    events,
    checkpoints,
    usage,
    ...evaluated.map((name) => `${evalFolder}/${name}`),
  ]) {
    const size = (await fileSystem.size(path)) ?? 0;
    const end = await endOfLastLine(fileSystem, path, size);
    if (end < size) await fileSystem.truncate(path, end);
  }
  for (const name of evaluated) await repairTokens(fileSystem, folder, stepOfFileName(name));
}

/** Truncates an evaluation's token records that no line refers to; those rollouts are played again. */
async function repairTokens(files: FolderFiles, folder: string, step: number | null) {
  if (step === null) return;
  const path = tokensPath(folder, { source: "evaluation", step });
  const size = (await files.size(path)) ?? 0;
  let end = 0;
  for await (const { value } of readLines(files, evalPath(folder, step))) {
    for (const each of parseEvaluatedRollout(value)?.tokenData ?? []) {
      end = Math.max(end, each.offset + each.length);
    }
  }
  if (end < size) await files.truncate(path, end);
}

/** Searches backwards from the end, so the file's length does not matter. */
async function endOfLastLine(files: FolderFiles, path: string, size: number): Promise<number> {
  for (let end = size; end > 0; end -= TAIL_BYTES) {
    const start = Math.max(0, end - TAIL_BYTES);
    const at = (await files.readRange(path, start, end - start)).lastIndexOf(LINE_FEED);
    if (at !== -1) return start + at + 1;
  }
  return 0;
}

/** Writes the moved lines to their new place before replacing the old file; repeating this merges and loses nothing. */
async function moveLines(
  fileSystem: FolderFiles,
  { folder, attempt }: Superseded,
  file: "metrics" | "evaluations",
  isMovedStep: IsMoved,
): Promise<void> {
  const source = runPaths(folder)[file];
  const moved: LineRange[] = [];
  const kept: LineRange[] = [];
  // Keeps only their positions: the parsed values would take many times the file's size.
  for await (const { value, offset, length } of readLines(fileSystem, source)) {
    if (value === undefined) continue;
    const isMoved = isMovedStep(stepOfLine(value) ?? -1);
    (isMoved ? moved : kept).push({ offset, length });
  }
  if (moved.length === 0) return;
  const bytes = await fileSystem.readBytes(source, MAX_FILE_BYTES);
  const targets = runPaths(supersededFolder(folder, attempt));
  const target = targets[file];
  await fileSystem.makeDirectory(
    file === "metrics" ? supersededFolder(folder, attempt) : targets.evalFolder,
  );
  const others = await otherLines(fileSystem, target, textsOf(bytes, moved));
  await fileSystem.writeAtomic(target, concatBytes([linesOf(bytes, moved), others]));
  await fileSystem.writeAtomic(source, linesOf(bytes, kept));
}

/** The lines of `path` except those in `known` and unreadable ones, of any length. */
async function otherLines(
  fileSystem: FolderFiles,
  path: string,
  known: readonly string[],
): Promise<Uint8Array> {
  const lines = new Set(known);
  const others: Uint8Array[] = [];
  for await (const { value, offset, length } of readLines(fileSystem, path)) {
    if (value === undefined) continue;
    const bytes = await fileSystem.readRange(path, offset, length + 1);
    const [text] = textsOf(bytes, [{ offset: 0, length }]);
    if (text !== undefined && !lines.has(text)) others.push(bytes);
  }
  return concatBytes(others);
}

async function moveStepFiles(
  fileSystem: FolderFiles,
  { folder, attempt }: Superseded,
  folderKey: "rolloutFolder" | "evalFolder",
  isMoved: IsMoved,
): Promise<void> {
  const source = runPaths(folder)[folderKey];
  const names = await fileSystem.list(source);
  const moved = names.filter((name) => isMoved(stepOfFileName(name) ?? -1));
  if (moved.length === 0) return;
  const target = runPaths(supersededFolder(folder, attempt))[folderKey];
  await fileSystem.makeDirectory(target);
  for (const name of moved) {
    await fileSystem.rename(`${source}/${name}`, `${target}/${name}`);
  }
}

function textsOf(bytes: Uint8Array, lines: readonly LineRange[]): readonly string[] {
  const decoder = new TextDecoder();
  return lines.map(({ offset, length }) => decoder.decode(bytes.subarray(offset, offset + length)));
}

/** Includes their line feeds. */
function linesOf(bytes: Uint8Array, lines: readonly LineRange[]): Uint8Array {
  return concatBytes(
    lines.map(({ offset, length }) => bytes.subarray(offset, offset + length + 1)),
  );
}
