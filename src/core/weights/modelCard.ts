/** The `README.md` beside downloaded weights: https://huggingface.co/docs/hub/model-cards */

import type { CheckpointEntry } from "../runFolder/checkpointLog.ts";
import type { EvaluationEntry, StoredResult } from "../runFolder/evaluationLog.ts";

/** What the run folder adds to the weights. */
export interface RunOfWeights {
  readonly name: string;
  readonly checkpoint: CheckpointEntry;
  readonly environments: readonly string[];
  /** Those of the checkpoint's step. */
  readonly evaluations: readonly EvaluationEntry[];
  /** The configuration as text, redacted. */
  readonly config: string;
}

export interface CardFacts {
  readonly baseModel: string;
  readonly rank: number | null;
  /** Where the weights came from. */
  readonly path: string;
  /** Null = nothing but the weights is known. */
  readonly run: RunOfWeights | null;
}

const REWARDS = ["rollout/reward/mean", "rollout_included/reward/mean"];

/** Markdown with the front matter that model hubs read. */
export function modelCard({ baseModel, rank, path, run }: CardFacts): string {
  const title = run === null ? "LoRA weights" : run.name;
  const rows = [
    ["Base model", baseModel],
    ["LoRA rank", rank === null ? "unknown" : String(rank)],
    ["Checkpoint", `\`${path}\``],
    ...(run === null ? [] : runRows(run)),
  ];
  return [
    frontMatter(baseModel),
    `# ${escaped(title)}`,
    "LoRA weights that were trained with reinforcement learning.",
    table(["", ""], rows),
    ...(run === null ? [] : evaluationPart(run)),
    ["## Use", "", "```python", ...loading(baseModel), "```"].join("\n"),
    ...(run === null ? [] : [configurationPart(run)]),
  ]
    .join("\n\n")
    .concat("\n");
}

function frontMatter(baseModel: string): string {
  const tags = ["reinforcement-learning", "lora", "tinker-rl"];
  const lines = [
    `base_model: ${JSON.stringify(baseModel)}`,
    "library_name: peft",
    "tags:",
    ...tags.map((tag) => `- ${tag}`),
  ];
  return ["---", ...lines, "---"].join("\n");
}

function runRows({ checkpoint, environments }: RunOfWeights): readonly (readonly string[])[] {
  const reward = REWARDS.map((name) => checkpoint.metrics[name]).find((value) => value != null);
  return [
    ["Step", String(checkpoint.step)],
    ["Environments", environments.map((name) => `\`${name}\``).join(", ")],
    ...(reward === undefined ? [] : [["Mean reward of the step before it", reward.toFixed(3)]]),
    ["Saved", checkpoint.created_at],
  ];
}

function evaluationPart({ evaluations }: RunOfWeights): readonly string[] {
  const rows = evaluations.flatMap(({ results }) =>
    results.map((result) => [
      `\`${result.environment}\``,
      result.split,
      String(result.temperature),
      rewardText(result),
      `${result.tasks}`,
    ]),
  );
  if (rows.length === 0) return [];
  const head = ["Environment", "Split", "Temperature", "Mean reward (95 % interval)", "Tasks"];
  return ["## Evaluation", table(head, rows)];
}

function rewardText({ rewardMean, low, high }: StoredResult): string {
  const shown = rewardMean.toFixed(3);
  if (low === null || high === null) return shown;
  return `${shown} (${low.toFixed(3)} to ${high.toFixed(3)})`;
}

function loading(baseModel: string): readonly string[] {
  return [
    "from peft import PeftModel",
    "from transformers import AutoModelForCausalLM",
    "",
    `base = AutoModelForCausalLM.from_pretrained(${JSON.stringify(baseModel)})`,
    'model = PeftModel.from_pretrained(base, ".")',
  ];
}

function configurationPart({ config }: RunOfWeights): string {
  // A fence that is longer than any in the text cannot be closed by it.
  const longest = Math.max(2, ...[...config.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return ["## Configuration", "", `${fence}yaml`, config.trimEnd(), fence].join("\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** On one line and in one cell, without markup of its own. */
function escaped(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[|<>\\]/g, (sign) => `\\${sign}`);
}
