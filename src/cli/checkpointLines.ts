/** The checkpoints of a run, each with its addresses. */

import type { CheckpointEntry } from "../core/runFolder/checkpointLog.ts";
import { groupBy } from "../core/util/groupBy.ts";
import { plural } from "../shared/format.ts";
import { l10n } from "../shared/l10n.ts";
import { type Line, styled } from "./line.ts";

/** A block for each save that may still be there, in the order of `checkpoints.jsonl`. */
export function checkpointLines(checkpoints: readonly CheckpointEntry[]): readonly Line[] {
  const saves = groupBy(worthShowing(checkpoints), ({ name }) => name);
  return [...saves.values()].flatMap(saveLines);
}

/** Rolling saves replace each other: only one that is the latest of all can still be used. */
function worthShowing(checkpoints: readonly CheckpointEntry[]): readonly CheckpointEntry[] {
  return checkpoints.filter(
    ({ kind }, index) => kind !== "rolling" || index === checkpoints.length - 1,
  );
}

/** One save can count as several kinds, for example periodic and final. */
function saveLines(saves: readonly CheckpointEntry[]): readonly Line[] {
  const entry = saves.at(-1);
  if (entry === undefined) return [];
  const kinds = saves.map(({ kind }) => kind).join(", ");
  const expiry = entry.expires_at === null ? "" : `, ${l10n.t("expires {0}", entry.expires_at)}`;
  const step = plural(entry.step, "after {0} step", "after {0} steps");
  const facts = `${kinds}, ${step}${expiry}`;
  const lines: Line[] = [[`  ${entry.name}`, styled("quiet", `  ${facts}`)]];
  // Paths stay whole, wider than the window or not: they are there to be copied.
  if (entry.state_path !== null)
    lines.push([`    ${l10n.t("state").padEnd(7)}  `, entry.state_path]);
  if (entry.sampler_path !== null)
    lines.push([`    ${l10n.t("sampler").padEnd(7)}  `, entry.sampler_path]);
  return lines;
}
