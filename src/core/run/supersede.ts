/** Moves what a resume repeats out of the way, in an order that a crash at any point leaves repairable. */

import type { FileSystem } from "../ports.ts";
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

type IsMoved = (step: number) => boolean;

/**
 * Moves metrics rows, rollouts and evaluations of `step` and later to `superseded/attempt-K/`; of evaluations after `step` completed
 * steps those that were completed stay. Running it again completes or changes nothing.
 */
export async function supersedeFrom(fileSystem: FileSystem, what: Superseded): Promise<void> {
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
export async function repairTails(fileSystem: FileSystem, folder: string): Promise<void> {
  const { metrics, events, checkpoints, evaluations } = runPaths(folder);
  for (const path of [metrics, events, checkpoints, evaluations]) {
    if ((await fileSystem.size(path)) === null) continue;
    const { completeBytes, hasPartialLine } = parseJsonLines(await fileSystem.readBytes(path));
    if (hasPartialLine) await fileSystem.truncate(path, completeBytes);
  }
}

/** The moved lines are safe in their new place before the old file is replaced; a repeat then merges, and loses nothing. */
async function moveLines(
  fileSystem: FileSystem,
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
  fileSystem: FileSystem,
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
