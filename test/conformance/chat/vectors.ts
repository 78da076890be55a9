/** The kit's golden prompts, bridges and parses of one family, in the types of our chat layer. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, it } from "vitest";
import * as z from "zod";
import type { FollowUp, InitialMessage, ToolDeclaration } from "../../../src/core/chat/renderer.ts";
import {
  type ExactJson,
  ExactNumber,
  isExactObject,
  parseExactJson,
} from "../../../src/core/util/exactJson.ts";
import { CHAT_KIT, hasKitTokenizers } from "./kitTokenizers.ts";

const exact = z.custom<ExactJson>(() => true);
const toolSchema = z.object({ name: z.string(), description: z.string(), parameters: exact });
const messageSchema = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string().nullish(),
  reasoning: z.string().nullish(),
  name: z.string().optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(z.object({ id: z.string(), name: z.string(), arguments: z.string() }))
    .optional(),
});
const parsedSchema = z
  .object({
    reasoning: z.string().nullable(),
    content: z.string().nullable(),
    calls: z.array(z.looseObject({ name: z.string(), args: exact })),
    malformed: z.boolean(),
    ended: z.boolean(),
  })
  .partial();
const profileSchema = z.object({
  models: z.array(z.string()),
  options: z.looseObject({
    thinking: z.boolean().optional(),
    preserve: z.boolean().optional(),
    effort: z.union([z.string(), z.number(), z.instanceof(ExactNumber)]).optional(),
    date: z.string().optional(),
    system_block: z.boolean().optional(),
  }),
  stop_ids: z.array(z.int()),
  stop_texts: z.array(z.string()).nullish(),
  tokenizer: z.string(),
  oracles: z.array(z.string()).optional(),
});
const promptSchema = z.object({
  id: z.string(),
  scenario: z.string(),
  profile: z.string(),
  oracles: z.array(z.string()).optional(),
});
const promptIds = z.object({ prompt_ids: z.array(z.int()), text: z.string().optional() });
const bridgeSchema = z.object({
  id: z.string(),
  profile: z.string(),
  prompt_ids: z.array(z.int()),
  turn_ids: z.array(z.int()),
  follow_ups: z.array(messageSchema),
  tools: z.array(toolSchema).nullish(),
});
const delta = z.object({ delta_ids: z.array(z.int()) });
const familySchema = z.object({
  profiles: z.record(z.string(), profileSchema),
  scenarios: z.record(
    z.string(),
    z.object({ messages: z.array(messageSchema), tools: z.array(toolSchema).nullish() }),
  ),
  prompts: z.array(promptSchema.extend({ expected: promptIds })),
  disputed_prompts: z.array(promptSchema.extend({ judged: promptIds.nullish() })),
  bridges: z.array(bridgeSchema.extend({ expected: delta })),
  disputed_bridges: z.array(bridgeSchema.extend({ judged: delta.nullish() })),
  parse_tools: z.array(toolSchema),
  parses: z.array(
    z.object({
      id: z.string(),
      profile: z.string(),
      tools: z.unknown(),
      turn_text: z.string(),
      /** The renderers that agree on a field of `expected`. */
      agree: z.record(z.string(), z.array(z.string())),
      turn_ids: z.array(z.int()),
      expected: parsedSchema,
      judged: parsedSchema.nullish(),
    }),
  ),
});

export type Family = z.infer<typeof familySchema>;
export type Profile = z.infer<typeof profileSchema>;
type KitMessage = z.infer<typeof messageSchema>;

export function readFamily(name: string): Family {
  const bytes = gunzipSync(readFileSync(join(CHAT_KIT, "vectors", `${name}.json.gz`)));
  // Python writes numbers that JSON does not have.
  const text = bytes.toString("utf8").replace(/((?<!\\)":\s*)(-?Infinity|NaN)\b/g, '$1"$2"');
  return familySchema.parse(parseExactJson(text));
}

/** Tests of each family; without the kit they are skipped. */
export function describeFamilies(
  names: readonly string[],
  tests: (family: Family, name: string) => void,
): void {
  describe.runIf(hasKitTokenizers).each(names)("family %s", (name) => {
    if (hasKitTokenizers) tests(readFamily(name), name);
    else it.skip("without the kit");
  });
}

export function toTools(tools: Family["parse_tools"] | null | undefined): ToolDeclaration[] {
  return (tools ?? []).map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters: isExactObject(parameters) ? parameters : {} },
  }));
}

export function toMessage(message: KitMessage): InitialMessage {
  const content = message.content ?? "";
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content };
    case "tool":
      return {
        role: "tool",
        content,
        name: message.name ?? "",
        callId: message.tool_call_id ?? "",
      };
    case "assistant":
      return {
        role: "assistant",
        content,
        reasoning: message.reasoning ?? null,
        calls: (message.tool_calls ?? []).map(({ id, name, arguments: text }) => {
          const args = parseExactJson(text);
          return { id, name, args: isExactObject(args) ? args : {} };
        }),
      };
  }
}

export function toFollowUp(message: KitMessage): FollowUp {
  const content = message.content ?? "";
  if (message.role !== "tool") return { role: "user", content };
  const { name = "", tool_call_id: callId = "" } = message;
  return { role: "tool", name, callId, content };
}
