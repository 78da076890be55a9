/** The `README.md` beside downloaded weights: https://huggingface.co/docs/hub/model-cards */

import { formatReward } from "../../shared/format.ts";
import type { CheckpointEntry } from "../runFolder/checkpointLog.ts";
import type { EvaluationEntry, StoredResult } from "../runFolder/evaluationLog.ts";
import { visibleText } from "../util/visibleText.ts";

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
    ["Base model", plain(baseModel)],
    ["LoRA rank", rank === null ? "unknown" : String(rank)],
    ["Checkpoint", code(path)],
    ...(run === null ? [] : runRows(run)),
  ];
  return [
    frontMatter(baseModel),
    `# ${plain(title)}`,
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
    ["Environments", environments.map(code).join(", ")],
    ...(reward === undefined ? [] : [["Mean reward of the step before it", formatReward(reward)]]),
    ["Saved", plain(checkpoint.created_at)],
  ];
}

function evaluationPart({ evaluations }: RunOfWeights): readonly string[] {
  const rows = evaluations.flatMap(({ results }) =>
    results.map((result) => [
      code(result.environment),
      plain(result.split),
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
  const shown = formatReward(rewardMean);
  if (low === null || high === null) return shown;
  return `${shown} (${formatReward(low)} to ${formatReward(high)})`;
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
  const fence = "`".repeat(Math.max(3, longestTicks(config) + 1));
  return ["## Configuration", "", `${fence}yaml`, config.trimEnd(), fence].join("\n");
}

/** @param rows cells in Markdown */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** Text on one line without markup, links or formulas of its own. */
function plain(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]<>#&|!~$]|:(?=\/\/)/g, (sign) => `\\${sign}`);
}

/** A code span, which only a run of as many backticks could end. A table ends its cell at a `|` even there. */
function code(text: string): string {
  const fence = "`".repeat(longestTicks(text) + 1);
  const inner = oneLine(text).replaceAll("|", "\\|");
  const gap = /^[ `]|[ `]$/.test(inner) ? " " : "";
  return `${fence}${gap}${inner}${gap}${fence}`;
}

function longestTicks(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
}

function oneLine(text: string): string {
  return visibleText(text.replace(/\s+/g, " "));
}
