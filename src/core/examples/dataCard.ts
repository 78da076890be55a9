/** The card of a dataset: the sources of its rows and how they were selected. Its header follows the model hub's format for cards. */

import { formatCount, formatQuantity } from "../../shared/format.ts";
import type { RolloutChoice } from "./chooseRollouts.ts";
import { type ExportFormat, UNSAID } from "./exportRow.ts";

export interface DataFacts {
  readonly name: string;
  readonly format: ExportFormat;
  readonly choice: RolloutChoice;
  /** Rows by split, without duplicates. */
  readonly rows: Readonly<Record<string, number>>;
  readonly doubles: number;
  /** Rollouts that cannot be expressed as messages. */
  readonly unsaid: number;
  readonly tasks: number;
  readonly runs: readonly {
    readonly name: string;
    readonly model: string;
    readonly rows: number;
  }[];
  /** In YAML, for example `mit`; null = not stated. */
  readonly license: string | null;
  readonly version: string;
}

export function dataCard(facts: DataFacts): string {
  const { name, format, rows, tasks, runs, license, version } = facts;
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  const counts = Object.entries(rows).map(
    ([split, count]) => `| ${split} | ${formatCount(count)} |`,
  );
  const sources = runs.map((run) => `| ${run.name} | ${run.model} | ${formatCount(run.rows)} |`);
  return `---
license: ${license ?? "other"}
tags: [tinker-rl, rollouts]
---

# ${name}

${formatQuantity(total, "row")} of ${formatQuantity(tasks, "task")}, written by Tinker RL ${version} from rollouts of language models.
${FORMATS[format]}${license === null ? "\n\nThe license is not stated: add it above before you publish the data." : ""}

| Split | Rows |
|---|---|
${counts.join("\n")}

## Sources

| Run | Model | Rows |
|---|---|---|
${sources.join("\n")}

## Filters

${filters(facts)
  .map((line) => `- ${line}`)
  .join("\n")}
`;
}

const FORMATS = {
  messages:
    "Each line is a conversation in OpenAI's chat format, with `tools`, its task, reward, star, tags and note.",
  tokens:
    "Each line is a token stream of a rollout: ids, log-probabilities by the sampler and the trainer, mask and advantages, at the same index.",
  preference:
    "Each line is a pair of rollouts of one task: `prompt`, `chosen` and `rejected` as messages, with `tools` and both rewards.",
  parquet:
    "`messages`, `tools` and `tags` are JSON texts; the other columns are the task, the reward, the star and the note.",
} as const satisfies Record<ExportFormat, string>;

function filters({ choice, doubles, unsaid }: DataFacts): readonly string[] {
  const { where, starred, tags, maxPerTask } = choice;
  return [
    where === null ? "All rollouts with a reward." : `Rollouts with \`${where}\`.`,
    ...(starred ? ["Only those with a star."] : []),
    ...(tags.length === 0 ? [] : [`Only those with one of the tags ${tags.join(", ")}.`]),
    ...(maxPerTask === null ? [] : [`At most ${maxPerTask} for each task, the best first.`]),
    ...(unsaid === 0 ? [] : [`Rollouts with ${UNSAID}: ${formatCount(unsaid)} left out.`]),
    `Duplicate conversations removed: ${formatCount(doubles)}.`,
  ];
}
