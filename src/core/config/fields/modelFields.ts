/** Configuration fields for the model and its chat format. */

import { COUNT, type FieldTable, OPTIONAL } from "./field.ts";

const thinkingFields = {
  enabled: {
    type: "boolean",
    default: true,
    change: "identity",
    doc: "Whether the model writes its reasoning before it answers.",
  },
  effort: {
    type: "enum",
    values: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
    orNumber: true,
    ...OPTIONAL,
    change: "identity",
    doc: "How much reasoning to ask for. `tinker-rl models` and the hover on `model_name` show the words that a model supports. A few models take a number, for example Inkling from 0 to 1. `null` leaves it to the model.",
  },
  retention: {
    type: "enum",
    values: ["all", "template"],
    default: "all",
    change: "identity",
    isAdvanced: true,
    doc: "`all` keeps earlier reasoning in the context, so a rollout stays one training sequence. `template` drops it where the model's own chat template does; the rollout then continues in another sequence, which repeats the conversation.",
  },
} as const satisfies FieldTable;

export const modelFields = {
  model_name: {
    type: "string",
    examples: ["Qwen/Qwen3-8B", "local/tiny-tool"],
    change: "identity",
    doc: "The base model to train, such as `Qwen/Qwen3-8B`. A name that begins with `local/` (`local/tiny-tool`) trains a small embedded model on this computer, without a key.",
  },
  lora_rank: {
    ...COUNT,
    default: 32,
    localDefault: 8,
    examples: [8, 16, 32, 64],
    change: "identity",
    isCommon: true,
    doc: "Rank of the LoRA adapter, a power of two. RL needs little capacity: 8 to 32 is enough. The best learning rate does not depend on it.",
  },
  train_attn: {
    type: "boolean",
    default: true,
    change: "identity",
    isAdvanced: true,
    doc: "Whether the adapter changes the attention layers.",
  },
  train_mlp: {
    type: "boolean",
    default: true,
    change: "identity",
    isAdvanced: true,
    doc: "Whether the adapter changes the MLP layers, experts included.",
  },
  train_unembed: {
    type: "boolean",
    default: true,
    change: "identity",
    isAdvanced: true,
    doc: "Whether the adapter changes the unembedding. vLLM and SGLang refuse adapters that do, so set `false` to load the adapter there; the embedded model never trains it.",
  },
  tokenizer_name: {
    type: "string",
    ...OPTIONAL,
    change: "identity",
    isAdvanced: true,
    doc: "Tokenizer to use instead of the model's own: the name of a model on the Hugging Face Hub, or a folder with `tokenizer.json` (or a rank file such as `tiktoken.model`), `tokenizer_config.json` and, if there is one, `chat_template.jinja`. A relative path is resolved from the configuration file. `null` uses the tokenizer of `model_name`.",
  },
  chat_format: {
    type: "enum",
    values: ["auto", "template", "reference", "completion"],
    default: "auto",
    change: "identity",
    isAdvanced: true,
    doc: "How a conversation becomes tokens. `auto` uses the model family's format, `template` the tokenizer's own chat template, `reference` ChatML with the tools listed in the system prompt, and `completion` the unchanged text of the task, without roles or tools.",
  },
  chat_preamble: {
    type: "boolean",
    default: true,
    change: "identity",
    isAdvanced: true,
    doc: "Whether to start with the chat format's own system prompt, which for gpt-oss contains its identity, the date, and the effort. `false` omits it, for checkpoints trained without it.",
  },
  system_prompt_template: {
    type: "string",
    ...OPTIONAL,
    change: "identity",
    isAdvanced: true,
    doc: "System prompt for every conversation. The list of tools replaces `{tools}`, one JSON line each. Without `{tools}`, and with `null`, the model gets the tools in its native form.",
  },
  thinking: {
    type: "object",
    fields: thinkingFields,
    shorthand: "enabled",
    default: false,
    change: "identity",
    doc: "Reasoning before the answer: `true`, `false`, or an object for the details.",
  },
} as const satisfies FieldTable;
