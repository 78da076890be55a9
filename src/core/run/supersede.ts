/** Moves what a resume repeats out of the way, in an order that a crash at any point leaves repairable. */

import type { FileSystem } from "../ports.ts";
import { type JsonLine, parseJsonLines } from "../util/jsonl.ts";
import { runPaths, stepOfFileName, supersededFolder } from "./layout.ts";
import { stepOfLine } from "./lineReader.ts";

export interface Superseded {
  readonly folder: string;
  /** The attempt whose lines are moved. */
  readonly attempt: number;
  /** First step that is repeated. */
  readonly step: number;
}

/** Moves metrics rows and step files of `step` and later to `superseded/attempt-K/`. Running it again completes or changes nothing. */
export async function supersedeFrom(fileSystem: FileSystem, what: Superseded): Promise<void> {
  await moveMetrics(fileSystem, what);
  await moveStepFiles(fileSystem, what, "rollouts");
  await moveStepFiles(fileSystem, what, "eval");
}

/** Cuts half-written last lines, onto which the next line would be glued. */
export async function repairTails(fileSystem: FileSystem, folder: string): Promise<void> {
  const { metrics, events, checkpoints } = runPaths(folder);
  for (const path of [metrics, events, checkpoints]) {
    if ((await fileSystem.size(path)) === null) continue;
    const { completeBytes, hasPartialLine } = parseJsonLines(await fileSystem.readBytes(path));
    if (hasPartialLine) await fileSystem.truncate(path, completeBytes);
  }
}

/** The moved rows are safe in their new place before the old file is replaced; a repeat then merges, and loses nothing. */
async function moveMetrics(fileSystem: FileSystem, what: Superseded): Promise<void> {
  const source = runPaths(what.folder).metrics;
  if ((await fileSystem.size(source)) === null) return;
  const bytes = await fileSystem.readBytes(source);
  const { lines } = parseJsonLines(bytes);
  const isMoved = (line: JsonLine): boolean => (stepOfLine(line.value) ?? -1) >= what.step;
  const moved = lines.filter(isMoved).map((line) => lineText(bytes, line));
  if (moved.length === 0) return;
  const targetFolder = supersededFolder(what.folder, what.attempt);
  const target = runPaths(targetFolder).metrics;
  await fileSystem.makeDirectory(targetFolder);
  const earlier = (await fileSystem.size(target)) === null ? "" : await fileSystem.readText(target);
  const others = earlier.split("\n").filter((text) => text !== "" && !moved.includes(text));
  await fileSystem.writeAtomic(target, joinLines([...moved, ...others]));
  const kept = lines.filter((line) => !isMoved(line)).map((line) => lineText(bytes, line));
  await fileSystem.writeAtomic(source, joinLines(kept));
}

async function moveStepFiles(
  fileSystem: FileSystem,
  { folder, attempt, step }: Superseded,
  room: "rollouts" | "eval",
): Promise<void> {
  const names = await fileSystem.list(`${folder}/${room}`);
  const moved = names.filter((name) => (stepOfFileName(name) ?? -1) >= step);
  if (moved.length === 0) return;
  const target = `${supersededFolder(folder, attempt)}/${room}`;
  await fileSystem.makeDirectory(target);
  for (const name of moved) {
    await fileSystem.rename(`${folder}/${room}/${name}`, `${target}/${name}`);
  }
}

function lineText(bytes: Uint8Array, { offset, length }: JsonLine): string {
  return new TextDecoder().decode(bytes.subarray(offset, offset + length));
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
