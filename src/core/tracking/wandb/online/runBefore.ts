/** What a run that is continued takes over from what the server holds of it. */

import {
  type ExtendedObject,
  type ExtendedValue,
  isExtendedObject,
  parseExtended,
} from "../run/extendedJson.ts";
import { parsedObject, type ResumeBucket } from "./operations.ts";

/** The configuration as it was given, without what a server keeps beside it. */
export function keptConfig(before: ResumeBucket | null): ExtendedObject {
  const kept = Object.entries(parsedObject(before?.config)).flatMap(
    ([key, wrapped]): [string, ExtendedValue][] => {
      const value = isExtendedObject(wrapped) ? wrapped["value"] : undefined;
      return key === "_wandb" || value === undefined ? [] : [[key, value]];
    },
  );
  return Object.fromEntries(kept);
}

/** Those that someone gave the run on its page stay. */
export function joinedTags(
  before: readonly string[] | null,
  own: readonly string[] | null,
): readonly string[] | null {
  if (before === null || own === null) return own ?? before;
  return [...new Set([...before, ...own])];
}

/** The last of the lines that a tail holds as text. */
export function lastLine(tail: string | null | undefined): ExtendedObject | null {
  const lines = parseExtended(tail ?? "")?.value;
  const last: unknown = Array.isArray(lines) ? lines.at(-1) : undefined;
  return typeof last === "string" ? parsedObject(last) : null;
}

/** The step of the first row that this attempt adds. */
export function nextStep(
  lastRow: ExtendedObject | null,
  summary: ExtendedObject,
  before: ResumeBucket | null,
): number {
  if (before === null || before.historyLineCount === 0) return 0;
  return (wholeNumber(lastRow?.["_step"]) ?? wholeNumber(summary["_step"]) ?? 0) + 1;
}

/** Whole seconds that the run took before this attempt. */
export function spentSeconds(
  lastRow: ExtendedObject | null,
  summary: ExtendedObject,
  lastEvent: ExtendedObject | null,
): number {
  const own = summary["_wandb"];
  const spent = isExtendedObject(own) ? own["runtime"] : undefined;
  const all = [lastEvent?.["_runtime"], spent ?? summary["_runtime"], lastRow?.["_runtime"]];
  return Math.max(0, ...all.filter((value) => typeof value === "number").map(Math.floor));
}

function wholeNumber(value: ExtendedValue | undefined): number | null {
  return typeof value === "number" && Number.isInteger(value) ? value : null;
}
