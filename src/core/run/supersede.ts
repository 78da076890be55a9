/** Moves what a resume repeats out of the way, in an order that a crash at any point leaves repairable. */

import type { FolderFiles } from "../ports.ts";
import { type JsonLine, parseJsonLines } from "../util/jsonl.ts";
import { readEvaluations } from "./evaluationLog.ts";
import { runPaths, stepOfFileName, supersededFolder } from "./layout.ts";
import { stepOfLine } from "./lineReader.ts";

export interface Superseded {
  readonly folder: string;
  /** The attempt whose lines are moved. */
  readonly attempt: number;
  /** First step that is repeated. */
  readonly step: number;
  /** True when an evaluation just before `step` is repeated too, although it was completed; absent = no. */
  readonly repeatsEvaluation?: boolean;
}

const TAIL_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

type IsMoved = (step: number) => boolean;

/**
 * Moves metrics rows, rollouts and evaluations of `step` and later to `superseded/attempt-K/`; of evaluations after `step` completed
 * steps those that were completed stay. Running it again completes or changes nothing.
 */
export async function supersedeFrom(fileSystem: FolderFiles, what: Superseded): Promise<void> {
  const { folder, step, repeatsEvaluation = false } = what;
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
    (at) => isOfOthers(at) || (at === step && !completed.has(at)),
  );
}

/** Cuts half-written last lines, onto which the next line would be glued. */
export async function repairTails(fileSystem: FolderFiles, folder: string): Promise<void> {
  const { metrics, events, checkpoints, evaluations } = runPaths(folder);
  for (const path of [metrics, events, checkpoints, evaluations]) {
    const size = (await fileSystem.size(path)) ?? 0;
    const end = await endOfLastLine(fileSystem, path, size);
    if (end < size) await fileSystem.truncate(path, end);
  }
}

/** From the end on, however long the file is. */
async function endOfLastLine(files: FolderFiles, path: string, size: number): Promise<number> {
  for (let end = size; end > 0; end -= TAIL_BYTES) {
    const start = Math.max(0, end - TAIL_BYTES);
    const at = (await files.readRange(path, start, end - start)).lastIndexOf(LINE_FEED);
    if (at !== -1) return start + at + 1;
  }
  return 0;
}

/** The moved lines are safe in their new place before the old file is replaced; a repeat then merges, and loses nothing. */
async function moveLines(
  fileSystem: FolderFiles,
  { folder, attempt }: Superseded,
  file: "metrics" | "evaluations",
  isMovedStep: IsMoved,
): Promise<void> {
  const source = runPaths(folder)[file];
  if ((await fileSystem.size(source)) === null) return;
  const bytes = await fileSystem.readBytes(source);
  const { lines } = parseJsonLines(bytes);
  const isMoved = (line: JsonLine): boolean => isMovedStep(stepOfLine(line.value) ?? -1);
  const moved = lines.filter(isMoved).map((line) => lineText(bytes, line));
  if (moved.length === 0) return;
  const targets = runPaths(supersededFolder(folder, attempt));
  const target = targets[file];
  await fileSystem.makeDirectory(
    file === "metrics" ? supersededFolder(folder, attempt) : targets.evalFolder,
  );
  const earlier = (await fileSystem.size(target)) === null ? "" : await fileSystem.readText(target);
  const others = earlier.split("\n").filter((text) => text !== "" && !moved.includes(text));
  await fileSystem.writeAtomic(target, joinLines([...moved, ...others]));
  const kept = lines.filter((line) => !isMoved(line)).map((line) => lineText(bytes, line));
  await fileSystem.writeAtomic(source, joinLines(kept));
}

async function moveStepFiles(
  fileSystem: FolderFiles,
  { folder, attempt }: Superseded,
  place: "rolloutFolder" | "evalFolder",
  isMoved: IsMoved,
): Promise<void> {
  const source = runPaths(folder)[place];
  const names = await fileSystem.list(source);
  const moved = names.filter((name) => isMoved(stepOfFileName(name) ?? -1));
  if (moved.length === 0) return;
  const target = runPaths(supersededFolder(folder, attempt))[place];
  await fileSystem.makeDirectory(target);
  for (const name of moved) {
    await fileSystem.rename(`${source}/${name}`, `${target}/${name}`);
  }
}

function lineText(bytes: Uint8Array, { offset, length }: JsonLine): string {
  return new TextDecoder().decode(bytes.subarray(offset, offset + length));
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
