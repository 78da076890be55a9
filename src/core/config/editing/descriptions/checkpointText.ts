/** A checkpoint in a few lines. */

import { formatCount, formatDuration, formatReward } from "../../../../shared/format.ts";
import type { CatalogueCheckpoint } from "../catalogue/catalogue.ts";
import { checkpointLabel } from "../diagnostics/checkpointRules.ts";
import { code } from "../text/markdown.ts";

/** Run and step, kind, model and rank, reward, size, age, expiry, path: what is known of them. */
export function checkpointMarkdown(checkpoint: CatalogueCheckpoint): string {
  const { kind, model, rank, reward, sizeBytes, ageMs, expiresInMs, isGone, path } = checkpoint;
  const facts = [
    kind,
    model === null ? null : `model ${code(model)}`,
    rank === null ? null : `rank ${rank}`,
    reward === null ? null : `reward ${formatReward(reward)}`,
    sizeBytes === null ? null : `${formatCount(sizeBytes / 1e6)} MB`,
    ageMs === null ? null : `saved ${formatDuration(ageMs / 1000)} ago`,
    isGone ? "**gone**" : expiresInMs === null ? null : expiryText(expiresInMs),
  ];
  const known = facts.filter((fact) => fact !== null).join(" · ");
  return `**${code(checkpointLabel(checkpoint))}** (checkpoint)${known === "" ? "" : `: ${known}`}\n\n${code(path)}`;
}

function expiryText(expiresInMs: number): string {
  return expiresInMs <= 0 ? "**expired**" : `expires in ${formatDuration(expiresInMs / 1000)}`;
}
