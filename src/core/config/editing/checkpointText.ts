/** A checkpoint in a few lines. */

import { formatCount, formatDuration, formatReward } from "../../../shared/format.ts";
import type { CheckpointEntry } from "./catalogue.ts";
import { checkpointLabel } from "./checkpointRules.ts";
import { code } from "./markdown.ts";

/** Run and step, model and rank, reward, size, age, expiry: what is known of them. */
export function checkpointMarkdown(checkpoint: CheckpointEntry): string {
  const { model, rank, reward, sizeBytes, ageMs, expiresInMs } = checkpoint;
  const facts = [
    model === null ? null : `model ${code(model)}`,
    rank === null ? null : `rank ${rank}`,
    reward === null ? null : `reward ${formatReward(reward)}`,
    sizeBytes === null ? null : `${formatCount(sizeBytes / 1e6)} MB`,
    ageMs === null ? null : `saved ${formatDuration(ageMs / 1000)} ago`,
    expiresInMs === null ? null : expiryText(expiresInMs),
  ];
  const known = facts.filter((fact) => fact !== null).join(" · ");
  return `**${code(checkpointLabel(checkpoint))}** (checkpoint)${known === "" ? "" : `: ${known}`}`;
}

function expiryText(expiresInMs: number): string {
  return expiresInMs <= 0 ? "**expired**" : `expires in ${formatDuration(expiresInMs / 1000)}`;
}
