/**
 * Chat formats by name, and their reasoning features. The formats are implemented in `core/chat/families`. Also the sampling
 * settings that model cards recommend, if they are the same for all models of a format.
 */

export interface FormatFacts {
  /** Whether reasoning can be on, off, or both. */
  readonly thinking: "on" | "off" | "switch";
  /** Names of the supported efforts, ascending. */
  readonly efforts: readonly string[];
  /** Effort without a setting; null if there are no efforts. */
  readonly defaultEffort: string | null;
  /** Range of numeric efforts; null if the format accepts only names. */
  readonly effortRange: readonly [min: number, max: number] | null;
  /** True if the official template removes earlier reasoning, always or on request, so `thinking.retention: template` splits a rollout. */
  readonly prunesReasoning: boolean;
  /** False if a model cannot call tools in this format. */
  readonly callsTools: boolean;
  /** False if models call tools only without reasoning. */
  readonly thinksWithTools: boolean;
  /** True if the format adds its own system text, which `chat_preamble: false` omits. */
  readonly hasPreamble: boolean;
}

const NO_EFFORT = { efforts: [], defaultEffort: null, effortRange: null } as const;
const PLAIN = {
  thinking: "off",
  ...NO_EFFORT,
  prunesReasoning: false,
  callsTools: true,
  thinksWithTools: true,
  hasPreamble: false,
} as const;
const HYBRID = { ...PLAIN, thinking: "switch", prunesReasoning: true } as const;

const GLM = {
  ...HYBRID,
  thinking: "on",
  efforts: ["low", "high", "max"],
  defaultEffort: "max",
} as const;

export const FORMATS = {
  chatml: PLAIN,
  hermes: PLAIN,
  "qwen2.5": PLAIN,
  qwen3: HYBRID,
  "qwen3-instruct": PLAIN,
  "qwen3.5": HYBRID,
  "qwen3.6": HYBRID,
  "qwen3.8": {
    ...HYBRID,
    efforts: ["low", "medium", "xhigh"],
    defaultEffort: "xhigh",
    prunesReasoning: false,
  },
  "nemotron3-nano": HYBRID,
  "nemotron3-super": { ...HYBRID, efforts: ["low", "high"], defaultEffort: "high" },
  "nemotron3-ultra": { ...HYBRID, efforts: ["medium", "high"], defaultEffort: "high" },
  "nemotron3.5-lightning": HYBRID,
  "gpt-oss": {
    ...HYBRID,
    thinking: "on",
    efforts: ["low", "medium", "high"],
    defaultEffort: "medium",
    hasPreamble: true,
  },
  "deepseek-v3.1": { ...HYBRID, thinksWithTools: false },
  "deepseek-v4.1": {
    ...HYBRID,
    efforts: ["low", "high", "max"],
    defaultEffort: "high",
  },
  "kimi-k2": PLAIN,
  "kimi-k2-thinking": { ...HYBRID, thinking: "on" },
  "kimi-k2.5": HYBRID,
  "kimi-k2.6": HYBRID,
  inkling: {
    ...HYBRID,
    efforts: ["minimal", "low", "medium", "high", "xhigh"],
    defaultEffort: "high",
    effortRange: [0, 1],
    prunesReasoning: false,
  },
  "glm-5.3": GLM,
  "glm-5.3-flash": GLM,
  llama3: PLAIN,
  base: { ...PLAIN, callsTools: false },
  completion: { ...PLAIN, callsTools: false },
} as const satisfies Readonly<Record<string, FormatFacts>>;

export type FormatName = keyof typeof FORMATS;

/** Sources: the models' cards and their `generation_config.json` on the model hub. */
const ADVICE: Partial<Readonly<Record<FormatName, string>>> = {
  qwen3: "temperature 0.6 and top_p 0.95 with thinking, 0.7 and 0.8 without",
  "qwen3-instruct": "temperature 0.7 and top_p 0.8",
  "gpt-oss": "temperature 1 and top_p 1",
  "deepseek-v3.1": "temperature 0.6 and top_p 0.95",
  "kimi-k2-thinking": "temperature 1",
  llama3: "temperature 0.6 and top_p 0.9",
  inkling: "temperature 1",
};

/** As text; null if the cards give no clear recommendation. */
export function cardSampling(format: FormatName): string | null {
  return ADVICE[format] ?? null;
}
