/** The format and options of ours for each profile of the kit's vectors. */

import { createNativeRenderer } from "../../../src/core/chat/nativeRenderer.ts";
import type { Renderer } from "../../../src/core/chat/renderer.ts";
import { findChatFamily } from "../../../src/core/chat/setup/findFamily.ts";
import { NATIVE_FORMATS } from "../../../src/core/chat/setup/nativeFormats.ts";
import { createTemplateRenderer } from "../../../src/core/chat/template/templateRenderer.ts";
import type { FormatName } from "../../../src/core/models/formats.ts";
import { ExactNumber } from "../../../src/core/util/exactJson.ts";
import { kitTemplate, kitTokenizer } from "./kitTokenizers.ts";
import type { Family, Profile } from "./vectors.ts";

/** By profile name prefix; the first match counts. */
const FORMAT_OF: readonly (readonly [profile: string, format: FormatName])[] = [
  ["qwen3.5-base", "base"],
  ["qwen3-base", "base"],
  ["deepseek-v3.1-base", "base"],
  ["llama3-base", "base"],
  ["qwen3.5-", "qwen3.5"],
  ["qwen3.6-", "qwen3.6"],
  ["qwen3.8-", "qwen3.8"],
  ["nano-", "nemotron3-nano"],
  ["super-", "nemotron3-super"],
  ["ultra-", "nemotron3-ultra"],
  ["gpt-oss-", "gpt-oss"],
  ["v3.1-", "deepseek-v3.1"],
  ["v4.1-", "deepseek-v4.1"],
  ["k2-instruct", "kimi-k2"],
  ["k2-thinking", "kimi-k2-thinking"],
  ["k2.5-", "kimi-k2.5"],
  ["k2.6-", "kimi-k2.6"],
  ["inkling-", "inkling"],
  ["glm5.3-flash", "glm-5.3-flash"],
  ["glm5.3-", "glm-5.3"],
  ["llama3", "llama3"],
];

/** Profiles of models that use their own template, with its file among the recorded ones. */
const TEMPLATE_OF: Readonly<Record<string, string>> = {
  "qwen3-think": "qwen3",
  "qwen3-nothink": "qwen3",
  "qwen3-instruct": "qwen3-instruct-2507",
  "qwen3-vl-instruct": "qwen3-vl",
  "qwen2.5": "qwen2.5",
};

/** Profiles that no configuration selects, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "llama3.1-system-tools":
    "Not compared: tools in the system turn of Llama 3, as its template declares them in the first message of the user by default.",
  "llama3-bare":
    "Not compared: Llama 3 without its system turn, which knows no tools and is not what the model was trained on.",
};

/** The profiles of a family that ours are compared with, and a sentence for each other one. */
export function comparedProfiles({ profiles }: Family) {
  const names = Object.keys(profiles);
  return {
    compared: new Map(Object.entries(profiles).filter(([name]) => !(name in LEFT_OUT))),
    leftOut: names.flatMap((name) => LEFT_OUT[name] ?? []),
  };
}

function createOf(name: string) {
  const format = FORMAT_OF.find(([start]) => name.startsWith(start))?.[1];
  return format === undefined ? undefined : NATIVE_FORMATS[format];
}

/** @throws Error for a profile without a matching format of ours */
export async function rendererOf(name: string, profile: Profile): Promise<Renderer> {
  const tokenizer = await kitTokenizer(profile.tokenizer);
  const template = TEMPLATE_OF[name];
  if (template !== undefined) {
    const source = kitTemplate(template);
    const model = { tokenizer, template: { source, bosToken: "", eosToken: "<|im_end|>" } };
    const family = findChatFamily(profile.models[0] ?? "", model);
    return createTemplateRenderer({ model, family, thinking: profile.options.thinking ?? false });
  }
  const create = createOf(name);
  if (create === undefined) throw new Error(`No format of ours is the kit's profile ${name}.`);
  const { thinking, preserve, effort, date, system_block: block } = profile.options;
  const options = {
    thinking: thinking ?? true,
    effort:
      effort === undefined ? null : effort instanceof ExactNumber ? effort.text : String(effort),
    retention: preserve === true ? ("all" as const) : ("template" as const),
    date: date ?? "2026-01-02",
    isBare: block === false,
  };
  const keeping = create({ ...options, retention: "all" });
  const writing = { format: keeping, thinking: options.thinking };
  return createNativeRenderer(create(options), tokenizer, writing);
}
