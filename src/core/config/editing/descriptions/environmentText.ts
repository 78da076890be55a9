/** An environment in a few words. */

import { formatQuantity } from "../../../../shared/format.ts";
import type { EnvironmentEntry, SplitEntry } from "../catalogue/catalogue.ts";
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
