/** Describes a model in a few words, and in more detail from the built-in table. */

import { formatCount } from "../../../../shared/format.ts";
import { formatFactsOf } from "../../../models/formatOfModel.ts";
import { cardSampling, type FormatFacts } from "../../../models/formats.ts";
import {
  findLineUpModel,
  kindOf,
  type LineUpModel,
  longestVariant,
  retirementText,
} from "../../../models/lineUp.ts";
import { LINE_UP_DATE } from "../../../models/lineUpRows.ts";
import { describeEfforts } from "../../rules/effortRules.ts";
import type { ModelEntry } from "../catalogue/catalogue.ts";
import { code } from "../text/markdown.ts";

/** For example `32,768 tokens · rank up to 64 · small`. */
export function modelDetail({ contextTokens, maxRank, note }: ModelEntry): string {
  return [
    contextTokens === null ? null : `${formatCount(contextTokens)} tokens`,
    maxRank === null ? null : `rank up to ${maxRank}`,
    note,
  ]
    .filter((part) => part !== null)
    .join(" · ");
}

/** A model from the built-in table as an entry of a service's list. */
export function tableEntry({ name, contexts, size }: LineUpModel): ModelEntry {
  return { name, contextTokens: contexts[0] ?? null, maxRank: null, note: size };
}

/** Kind, thinking, images, context sizes and retirement; empty for a model that is not in the table. */
export function modelMarkdown(name: string): string {
  const model = findLineUpModel(name);
  if (model === null) return "";
  const facts = formatFactsOf(name);
  const parts = [
    model.retired === null ? null : retirementText(model.name, model.retired),
    kindText(model),
    facts === null
      ? "Its chat format is not public, so it cannot be trained yet."
      : thinkingText(facts),
    variantText(model),
    samplingText(model),
    sourceText(model),
  ];
  return parts.filter((part) => part !== null).join("\n\n");
}

/** How the model handles `thinking`; empty when unknown. */
export function thinkingMarkdown(name: string): readonly string[] {
  const facts = formatFactsOf(name);
  const text = facts === null ? null : thinkingText(facts);
  return text === null ? [] : [`${code(name)}: ${text}`];
}

/** Exponents of the formula for the model families it is calibrated for. */
const LEARNING_RATE_POWERS: readonly (readonly [owner: string, power: number])[] = [
  ["Qwen/", 0.0775],
  ["meta-llama/", 0.781],
];

/**
 * The learning rate that Tinker's cookbook computes for supervised training with LoRA, 5e-4 (2000 / hidden size)^power (`get_lr` in
 * `hyperparam_utils.py`). Empty when the family is not calibrated or the hidden size is unknown.
 */
export function learningRateMarkdown(name: string): readonly string[] {
  const hiddenSize = findLineUpModel(name)?.hiddenSize ?? null;
  const power = LEARNING_RATE_POWERS.find(([owner]) => name.startsWith(owner))?.[1];
  if (hiddenSize === null || power === undefined) return [];
  const rate = 5e-4 * (2000 / hiddenSize) ** power;
  return [
    `Tinker's cookbook computes ${code(rate.toExponential(1))} for supervised training of ${code(name)}; RL needs far less.`,
  ];
}

function kindText(model: LineUpModel): string | null {
  const kind = kindOf(model);
  const input = model.readsImages ? "reads text and images" : "reads text only";
  return kind === null ? `It ${input}.` : `${KINDS[kind]}; ${input}.`;
}

const KINDS = {
  base: "Base model",
  instruct: "Instruct model",
  hybrid: "Hybrid model",
  reasoning: "Reasoning model",
} as const;

function thinkingText(facts: FormatFacts): string | null {
  const efforts = facts.efforts.length === 0 ? "" : ` ${effortText(facts)}`;
  switch (facts.thinking) {
    case "on":
      return `It always reasons before it answers.${efforts}`;
    case "switch":
      return facts.thinksWithTools
        ? `It reasons when ${code("thinking")} is on.${efforts}`
        : `It calls tools only without reasoning, so ${code("thinking")} stays off.`;
    case "off":
      return facts.callsTools
        ? "It answers without reasoning."
        : "It calls no tools and does not reason.";
  }
}

function effortText(facts: FormatFacts): string {
  return describeEfforts(facts).replace("The model takes", `${code("thinking.effort")} takes`);
}

function variantText(model: LineUpModel): string | null {
  const longest = longestVariant(model);
  const tokens = model.contexts.at(-1);
  if (longest === null || tokens === undefined) return null;
  return `${code(longest)} holds ${formatCount(tokens)} tokens, at a higher price.`;
}

function samplingText({ format }: LineUpModel): string | null {
  const cards = format === null ? null : cardSampling(format);
  return cards === null
    ? null
    : `Its model card recommends ${cards} for inference; training samples at temperature 1.`;
}

function sourceText({ listed }: LineUpModel): string {
  if (listed === null || listed === LINE_UP_DATE)
    return `*From the table of ${LINE_UP_DATE}; the service's own list takes precedence.*`;
  return `*Listed in Tinker's cookbook (${listed}); the service decides whether it can be trained.*`;
}
