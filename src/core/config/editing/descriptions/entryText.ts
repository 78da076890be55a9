/** Describes an environment in a few words and a checkpoint in a few lines. */

import {
  formatCount,
  formatDuration,
  formatQuantity,
  formatReward,
} from "../../../../shared/format.ts";
import type { CatalogueCheckpoint, EnvironmentEntry, SplitEntry } from "../catalogue/catalogue.ts";
import { checkpointLabel } from "../diagnostics/checkpointRules.ts";
import { code, plainText } from "../text/markdown.ts";

/** For example `128 train tasks · 4 tools`; empty when nothing is known. */
export function environmentDetail({ splits, tools }: EnvironmentEntry): string {
  const split = splits?.find(({ name }) => name === "train") ?? splits?.[0];
  return [
    split?.tasks == null ? null : formatQuantity(split.tasks, `${split.name} task`),
    tools === null ? null : formatQuantity(tools.length, "tool"),
  ]
    .filter((part) => part !== null)
    .join(" · ");
}

/** Description, splits with their tasks, tools, secrets. */
export function environmentMarkdown({
  description,
  splits,
  tools,
  secrets,
}: EnvironmentEntry): string {
  const parts = [
    description === null ? null : plainText(description),
    splits === null ? null : `Splits: ${splits.map(splitText).join(", ")}`,
    tools === null || tools.length === 0 ? null : `Tools: ${tools.map(code).join(", ")}`,
    secrets.length === 0 ? null : `Asks for secrets: ${secrets.map(code).join(", ")}`,
  ];
  return parts.filter((part) => part !== null).join("\n\n");
}

/** For example `train` (128 tasks), as Markdown. */
export function splitText({ name, tasks }: SplitEntry): string {
  return tasks === null ? code(name) : `${code(name)} (${formatQuantity(tasks, "task")})`;
}

/** What is known of a checkpoint: run and step, kind, model, rank, reward, size, age, expiry and path. */
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
