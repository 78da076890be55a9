/** The content of a row in the Checkpoints view. */

import * as l10n from "@vscode/l10n";
import type { CheckpointEntry } from "../../core/runFolder/checkpointLog.ts";
import { SOON_MS } from "../../core/runs/runWords.ts";
import { formatCount, formatDuration, formatReward } from "../../shared/format.ts";
import type { RowText } from "../../shared/rowText.ts";

const ICONS: Readonly<Record<CheckpointEntry["kind"] | "candidate", string>> = {
  periodic: "save",
  rolling: "sync",
  final: "pass",
  interrupt: "debug-pause",
  manual: "bookmark",
  best: "star-full",
  candidate: "save",
};

export interface CheckpointRowOptions {
  /** Used to compute the remaining lifetime. */
  readonly nowMs: number;
  /** True for a checkpoint at Tinker, which can be published. */
  readonly isHosted: boolean;
}

export function checkpointRow(
  entry: CheckpointEntry,
  { nowMs, isHosted }: CheckpointRowOptions,
): RowText {
  const { best, step } = entry;
  const kind = entry.kind === "best" && best === undefined ? "candidate" : entry.kind;
  const reward = entry.metrics["rollout/reward/mean"] ?? null;
  const parts = [
    ...(entry.state_path === null ? [] : [l10n.t("state")]),
    ...(entry.sampler_path === null ? [] : [l10n.t("sampler")]),
  ];
  const details = [
    // Most important first, because rows are cut off at the end.
    ...(best === undefined ? [] : [bestText(best)]),
    ...(reward === null ? [] : [formatReward(reward)]),
    ...(kind === "best" ? [] : [kind]),
    ...expiry(entry, nowMs),
    parts.join(" + "),
  ];
  const soon = expiresSoon(entry, nowMs);
  return {
    label: l10n.t("Step {0}", formatCount(step)),
    description: details.join(" · "),
    spoken: [
      l10n.t("checkpoint {0} after step {1}", entry.name, formatCount(step)),
      ...details,
    ].join(", "),
    icon: soon ? "warning" : ICONS[best === undefined ? kind : "best"],
    color: soon ? "list.warningForeground" : null,
    context: contextOf({
      checkpoint: true,
      [kind]: true,
      best: best !== undefined,
      expiring: soon,
      hosted: isHosted,
    }),
  };
}

/** Without the metric, which is in the tooltip. */
function bestText({ value }: NonNullable<CheckpointEntry["best"]>): string {
  return l10n.t("best: {0}", formatReward(value));
}

/** The words that are true, for menus' when clauses. */
function contextOf(words: Readonly<Record<string, boolean>>): string {
  return Object.keys(words)
    .filter((word) => words[word] === true)
    .join("+");
}

function expiresSoon(entry: CheckpointEntry, nowMs: number): boolean {
  // Rolling saves expire by design.
  return entry.kind !== "rolling" && (leftMs(entry, nowMs) ?? Number.POSITIVE_INFINITY) < SOON_MS;
}

function expiry(entry: CheckpointEntry, nowMs: number): readonly string[] {
  const left = leftMs(entry, nowMs);
  return left === null ? [] : [l10n.t("expires in {0}", formatDuration(left / 1000))];
}

function leftMs({ expires_at }: CheckpointEntry, nowMs: number): number | null {
  return expires_at === null ? null : Date.parse(expires_at) - nowMs;
}
