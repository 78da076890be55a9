/** A run's checkpoints with their addresses. */

import * as l10n from "@vscode/l10n";
import {
  type CheckpointEntry,
  kindsOf,
  usableCheckpoints,
} from "../../core/runFolder/checkpointLog.ts";
import { visibleLine } from "../../core/util/visibleText.ts";
import { formatMeasure, plural } from "../../shared/format.ts";
import { groupBy } from "../../shared/groupBy.ts";
import { type Line, styled } from "../terminal/line.ts";

/** One block per save that is usable at `nowMs`. */
export function checkpointLines(
  checkpoints: readonly CheckpointEntry[],
  nowMs: number,
): readonly Line[] {
  const saves = groupBy(checkpoints, ({ name }) => name);
  return usableCheckpoints(checkpoints, nowMs).flatMap((entry) =>
    saveLines(entry, saves.get(entry.name) ?? []),
  );
}

/** One save can count as several kinds, for example periodic and final. */
function saveLines(entry: CheckpointEntry, lines: readonly CheckpointEntry[]): readonly Line[] {
  const kinds = kindsOf(entry, lines).join(", ");
  const expiry =
    entry.expires_at === null ? "" : `, ${l10n.t("expires {0}", minuteText(entry.expires_at))}`;
  const step = plural(entry.step, "after {0} step", "after {0} steps");
  const best =
    entry.best === undefined ? "" : ` (${entry.best.metric} ${formatMeasure(entry.best.value)})`;
  const deleted = entry.state_path === null ? `, ${l10n.t("state deleted")}` : "";
  const facts = `${kinds}${best}, ${step}${expiry}${deleted}`;
  // Never truncate paths, because they are meant to be copied.
  const shown: Line[] = [[`  ${entry.name}`, styled("quiet", `  ${facts}`)]];
  if (entry.state_path !== null)
    shown.push([`    ${l10n.t("state").padEnd(7)}  `, entry.state_path]);
  if (entry.sampler_path !== null)
    shown.push([`    ${l10n.t("sampler").padEnd(7)}  `, entry.sampler_path]);
  return shown;
}

/** `2026-11-22 09:41`, in UTC as reported by the service. */
export function minuteText(time: string | null): string {
  return time === null ? "–" : visibleLine(time.slice(0, 16).replace("T", " "));
}
