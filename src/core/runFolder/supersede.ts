/** Moves the records that a resume repeats to `superseded/`, in an order that stays repairable after a crash at any point. */

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
import { readLines, stepOfLine } from "./files/lineReader.ts";
import { parseEvaluatedRollout } from "./rollouts/rolloutRecord.ts";

export interface Superseded {
  readonly folder: string;
  /** The attempt whose lines are moved. */
  readonly attempt: number;
  /** First step that is repeated. */
  readonly step: number;
  /** True when an evaluation just before `step` is repeated too, although it was completed; absent = no. */
  readonly repeatsEvaluation?: boolean;
  /** True when what was played of an evaluation just before `step` is played again, because it had other settings; absent = no. */
  readonly repeatsUnfinished?: boolean;
}

const TAIL_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** Where a line is in its file, without its line feed. */
interface LineRange {
  readonly offset: number;
  readonly length: number;
}

type IsMoved = (step: number) => boolean;

/**
 * Moves metrics rows, rollouts and evaluations of `step` and later to `superseded/attempt-K/`. An evaluation after `step` completed steps
 * stays, because the weights are the same: one that was interrupted continues with what it has not played. Running it again completes or changes nothing.
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

/** Cuts half-written last lines, to which the next line would be joined. */
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

/** Cuts token records of an evaluation that no line names yet: the rollout is played again. */
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
  const moved: LineRange[] = [];
  const kept: LineRange[] = [];
  // Their places only: the values of a long file would take many times its size.
  for await (const { value, offset, length } of readLines(fileSystem, source)) {
    if (value === undefined) continue;
    const isMoved = isMovedStep(stepOfLine(value) ?? -1);
    (isMoved ? moved : kept).push({ offset, length });
  }
  if (moved.length === 0) return;
  const bytes = await fileSystem.readBytes(source);
  const targets = runPaths(supersededFolder(folder, attempt));
  const target = targets[file];
  await fileSystem.makeDirectory(
    file === "metrics" ? supersededFolder(folder, attempt) : targets.evalFolder,
  );
  const others = await otherLines(fileSystem, target, textsOf(bytes, moved));
  await fileSystem.writeAtomic(target, concatBytes([linesOf(bytes, moved), others]));
  await fileSystem.writeAtomic(source, linesOf(bytes, kept));
}

/** What `path` holds besides the lines that `known` names, and besides lines that cannot be read, however long they are. */
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

function textsOf(bytes: Uint8Array, places: readonly LineRange[]): readonly string[] {
  const decoder = new TextDecoder();
  return places.map(({ offset, length }) =>
    decoder.decode(bytes.subarray(offset, offset + length)),
  );
}

/** With their line feeds. */
function linesOf(bytes: Uint8Array, places: readonly LineRange[]): Uint8Array {
  return concatBytes(
    places.map(({ offset, length }) => bytes.subarray(offset, offset + length + 1)),
  );
}
