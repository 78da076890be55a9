/** The `README.md` next to downloaded weights: https://huggingface.co/docs/hub/model-cards */

import { formatBounds, formatReward } from "../../shared/format.ts";
import { shellWord } from "../../shared/shellWords.ts";
import { plainModelName } from "../models/lineUp.ts";
import type { CheckpointEntry } from "../runFolder/checkpointLog.ts";
import type { EvaluationEntry, StoredResult } from "../runFolder/evaluationLog.ts";
import { visibleText } from "../util/visibleText.ts";

/** What the run folder adds to the weights. */
export interface RunOfWeights {
  readonly name: string;
  readonly checkpoint: CheckpointEntry;
  /** How the model was trained; null if the configuration cannot be read. */
  readonly method: "rl" | "sft" | null;
  readonly environments: readonly string[];
  /** Evaluations of the checkpoint's step. */
  readonly evaluations: readonly EvaluationEntry[];
  /** The training configuration as text, secrets redacted. */
  readonly config: string;
  /** Configuration changes during training: one line per step with changes. */
  readonly changes: readonly string[];
}

/** The form of the files: as exported by Tinker, for servers, or merged into the base model. */
export type CardForm =
  | { readonly kind: "exported" }
  | {
      readonly kind: "served";
      readonly highestRank: number;
      /** True if the change to the unembedding was dropped. */
      readonly lacksUnembedding: boolean;
    }
  | { readonly kind: "merged" };

export const AS_EXPORTED: CardForm = { kind: "exported" };

export interface CardFacts {
  readonly baseModel: string;
  readonly rank: number | null;
  /** Where the weights came from. */
  readonly path: string;
  /** Null = only the weights are known. */
  readonly run: RunOfWeights | null;
  readonly form: CardForm;
  /** Fingerprint of the base model's folder; null if it was not given. */
  readonly base: string | null;
}

const FORM_TEXTS: Readonly<Record<CardForm["kind"], readonly [form: string, what: string]>> = {
  exported: ["LoRA adapter, as Tinker exports it", "LoRA weights that were trained"],
  served: ["LoRA adapter with the names of vLLM and SGLang", "LoRA weights that were trained"],
  merged: [
    "Merged: the base model's weights with the LoRA adapter in them",
    "The base model with LoRA weights merged into it that were trained",
  ],
};
const EXPORTED_NOTE =
  "vLLM and SGLang want other names for the layers of some models, and refuse an adapter that changes the unembedding (`train_unembed`). `tinker-rl checkpoints download --for vllm` writes what they load.";
const LACKING_NOTE =
  "What was learned for the unembedding (`train_unembed`) is left out, because servers refuse it: this is not quite the model that was trained.";
/** Values that vLLM's `--max-lora-rank` accepts: https://docs.vllm.ai/en/stable/api/vllm/config/lora/ */
const SERVED_RANKS = [8, 16, 32, 64, 128, 256, 320, 512];

const METHODS = { rl: " with reinforcement learning", sft: " by imitating examples" };
const REWARDS = ["rollout/reward/mean", "rollout_included/reward/mean"];

/** Markdown with the front matter that model hubs read. */
export function modelCard({ baseModel, rank, path, run, form, base }: CardFacts): string {
  const title = run === null ? "LoRA weights" : run.name;
  const method = run?.method ?? null;
  const [, what] = FORM_TEXTS[form.kind];
  const rows = [
    ["Base model", plain(baseModel)],
    ["LoRA rank", rank === null ? "unknown" : String(rank)],
    ...sourceRows({ path, kind: form.kind, base }),
    ...(run === null ? [] : runRows(run)),
  ];
  // The hub knows no variants such as `:peft:262144`.
  const hubModel = plainModelName(baseModel);
  return [
    frontMatter(hubModel, form, method),
    `# ${plain(title)}`,
    `${what}${method === null ? "" : METHODS[method]}.`,
    table(["", ""], rows),
    ...(run === null ? [] : evaluationPart(run)),
    ["## Use", ...usage(hubModel, title, form)].join("\n\n"),
    ...(run === null ? [] : [configurationPart(run)]),
  ]
    .join("\n\n")
    .concat("\n");
}

interface Source extends Pick<CardFacts, "path" | "base"> {
  readonly kind: CardForm["kind"];
}

/** True if the card describes these weights in this form. */
export function isCardOf(
  card: string,
  source: Source & { readonly dropsUnembedding: boolean },
): boolean {
  const isOfSource = card.includes(sourceRows(source).map(row).join("\n"));
  return isOfSource && (source.dropsUnembedding || !card.includes(LACKING_NOTE));
}

function sourceRows({ path, kind, base }: Source): readonly (readonly string[])[] {
  const [form] = FORM_TEXTS[kind];
  return [
    ["Form", form],
    ["Checkpoint", code(path)],
    ...(base === null ? [] : [["Fingerprint of the base model's folder", code(base)]]),
  ];
}

function frontMatter(
  baseModel: string,
  { kind }: CardForm,
  method: RunOfWeights["method"],
): string {
  const tags = [...(method === "rl" ? ["reinforcement-learning"] : []), "lora", "tinker-rl"];
  const lines = [
    `base_model: ${JSON.stringify(baseModel)}`,
    `library_name: ${kind === "merged" ? "transformers" : "peft"}`,
    "tags:",
    ...tags.map((tag) => `- ${tag}`),
  ];
  return ["---", ...lines, "---"].join("\n");
}

function runRows({ checkpoint, environments }: RunOfWeights): readonly (readonly string[])[] {
  const reward = REWARDS.map((name) => checkpoint.metrics[name]).find((value) => value != null);
  return [
    ["Step", String(checkpoint.step)],
    ...(environments.length === 0 ? [] : [["Environments", environments.map(code).join(", ")]]),
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
  const head = [
    "Environment",
    "Split",
    "Temperature",
    "Mean reward (95% confidence interval)",
    "Tasks",
  ];
  return ["## Evaluation", table(head, rows)];
}

function rewardText(result: StoredResult): string {
  return `${formatReward(result.rewardMean)} ${formatBounds(result)}`.trimEnd();
}

function usage(baseModel: string, title: string, form: CardForm): readonly string[] {
  switch (form.kind) {
    case "exported":
      return [fenced("python", loading(baseModel)), EXPORTED_NOTE];
    case "served":
      return [
        ...(form.lacksUnembedding ? [LACKING_NOTE] : []),
        "In the folder of these files, with vLLM or SGLang:",
        fenced("sh", serving(baseModel, title.replace(/[^\w.-]/g, "-"), form.highestRank)),
      ];
    case "merged":
      return [
        "In the folder of these files, with vLLM, SGLang or Transformers:",
        fenced("sh", ["vllm serve .", "python -m sglang.launch_server --model-path ."]),
        fenced("python", [
          `from transformers import ${loaderOf(baseModel)}`,
          "",
          `model = ${loaderOf(baseModel)}.from_pretrained(".")`,
        ]),
      ];
  }
}

function fenced(language: string, lines: readonly string[]): string {
  return [`\`\`\`${language}`, ...lines, "```"].join("\n");
}

/** https://huggingface.co/docs/transformers/model_doc/qwen3_vl: it is in no mapping of `AutoModelForCausalLM`. */
function loaderOf(baseModel: string): string {
  const isVision = /(^|\/)Qwen3-VL-/i.test(baseModel);
  return isVision ? "AutoModelForImageTextToText" : "AutoModelForCausalLM";
}

function loading(baseModel: string): readonly string[] {
  return [
    "from peft import PeftModel",
    `from transformers import ${loaderOf(baseModel)}`,
    "",
    `base = ${loaderOf(baseModel)}.from_pretrained(${JSON.stringify(baseModel)})`,
    'model = PeftModel.from_pretrained(base, ".")',
  ];
}

/** Commands of https://docs.vllm.ai/en/latest/features/lora.html and https://docs.sglang.io/advanced_features/lora.html */
function serving(baseModel: string, name: string, highestRank: number): readonly string[] {
  const base = shellWord(oneLine(baseModel));
  const rank = SERVED_RANKS.find((most) => most >= highestRank) ?? highestRank;
  return [
    `vllm serve ${base} --enable-lora --max-lora-rank ${rank} --lora-modules ${name}=.`,
    `python -m sglang.launch_server --model-path ${base} --enable-lora --lora-paths ${name}=.`,
  ];
}

function configurationPart({ config, changes }: RunOfWeights): string {
  const fence = "`".repeat(Math.max(3, longestTicks(config) + 1));
  const changed =
    changes.length === 0
      ? []
      : ["", "Changed during training:", "", ...changes.map((line) => `- ${plain(line)}`)];
  return ["## Configuration", "", `${fence}yaml`, config.trimEnd(), fence, ...changed].join("\n");
}

/** @param rows Markdown cells */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), `|${head.map(() => "---|").join("")}`, ...rows.map(row)].join("\n");
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** One line of text with its own markup, links and formulas escaped. */
function plain(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]<>#&|!~$]|:(?=\/\/)/g, (character) => `\\${character}`);
}

/** A code span with a fence longer than any run of backticks in it. Escapes `|`, which ends a table cell even in code. */
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
