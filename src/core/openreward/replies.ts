/** Schemas of ORS replies and their conversion to our types: `docs/protocols/openreward.md#tools`. */

import * as z from "zod";
import type { JsonObject } from "../json.ts";
import { type ExactJsonObject, isExactObject } from "../util/exactJson.ts";
import type {
  Block,
  Message,
  MessageBlock,
  RejectionReason,
  ToolCallOutcome,
  ToolList,
} from "./types.ts";

const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), z.json());

const wireBlocks = z.array(z.looseObject({ type: z.string() }));
const knownBlock = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
]);

const exactObject = z.custom<ExactJsonObject>(isExactObject);
const knownMessageBlock = z.discriminatedUnion("type", [
  ...knownBlock.options,
  z.object({ type: z.literal("reasoning"), text: z.string() }),
  z.object({ type: z.literal("tool_call"), id: z.string(), name: z.string(), input: exactObject }),
  z.object({
    type: z.literal("tool_result"),
    tool_call_id: z.string(),
    blocks: wireBlocks,
    is_error: z.boolean().nullish(),
  }),
]);
const MESSAGE_BLOCKS = new Set(["text", "image", "reasoning", "tool_call", "tool_result"]);

/** Messages as received, from JSON parsed with exact numbers; {@link readMessages} converts them. */
export const messagesReply = z.array(
  z.object({ role: z.enum(["system", "user", "assistant"]), blocks: wireBlocks }),
);

/** Blocks as received; {@link readBlocks} converts them. */
export const promptReply = wireBlocks;

export const splitsReply = z.array(z.object({ name: z.string(), type: z.string() }));
export const numTasksReply = z.object({ num_tasks: z.int().nonnegative() });
export const namesReply = z.array(z.string());
export const taskRangeReply = z.object({ tasks: z.array(jsonObject) });
export const createReply = z.object({ sid: z.string() });

/** For JSON parsed with exact numbers, because bounds in a tool's schema are shown to the model as written. */
export const toolsReply = z
  .object({
    tools: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        input_schema: exactObject.nullish(),
      }),
    ),
    terminal_tool: z
      .object({ name: z.string(), arg: z.string().nullish(), description: z.string() })
      .nullish(),
    supports_score_group: z.boolean().nullish(),
    message_block_types: z.array(z.string()).nullish(),
  })
  .transform(
    ({ tools, terminal_tool: terminal, ...offers }): ToolList => ({
      tools: tools.map(({ name, description, input_schema }) => ({
        name,
        description,
        inputSchema: input_schema ?? null,
      })),
      terminalTool: terminal ? { ...terminal, arg: terminal.arg ?? null } : null,
      supportsGroupScoring: offers.supports_score_group ?? false,
      // Older servers accept these two.
      messageBlockTypes: offers.message_block_types ?? ["text", "image"],
    }),
  );

export const callReply = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    output: z.object({
      blocks: wireBlocks,
      metadata: jsonObject.nullish(),
      reward: z.number().nullish(),
      finished: z.boolean(),
    }),
  }),
  z.object({ ok: z.literal(false), error: z.string(), reason: z.string().nullish() }),
]);

/** Called with the type of an unknown block. */
export type UnknownBlockListener = (type: string) => void;

/** Keeps text and image blocks and skips unknown ones. Throws a ZodError when a known block is malformed. */
export function readBlocks(
  blocks: z.infer<typeof wireBlocks>,
  onUnknown: UnknownBlockListener,
): readonly Block[] {
  return blocks.flatMap((block) => {
    if (block.type === "text" || block.type === "image") return [knownBlock.parse(block)];
    onUnknown(block.type);
    return [];
  });
}

/** Skips blocks of unknown types. Throws a ZodError when a known block is malformed. */
export function readMessages(
  messages: z.infer<typeof messagesReply>,
  onUnknown: UnknownBlockListener,
): readonly Message[] {
  const readBlock = (block: z.infer<typeof wireBlocks>[number]): readonly MessageBlock[] => {
    if (!MESSAGE_BLOCKS.has(block.type)) {
      onUnknown(block.type);
      return [];
    }
    const known = knownMessageBlock.parse(block);
    if (known.type !== "tool_result") return [known];
    const { type, tool_call_id: callId, is_error } = known;
    return [
      { type, callId, blocks: readBlocks(known.blocks, onUnknown), isError: is_error === true },
    ];
  };
  return messages.map(({ role, blocks }) => ({ role, blocks: blocks.flatMap(readBlock) }));
}

/** Converts a `/call` reply to an outcome. */
export function readOutcome(
  reply: z.infer<typeof callReply>,
  onUnknown: UnknownBlockListener,
): ToolCallOutcome {
  if (!reply.ok) {
    const { error } = reply;
    return { kind: "rejected", reason: rejectionReason(reply.reason ?? null, error), error };
  }
  const { blocks, reward, finished, metadata } = reply.output;
  return {
    kind: "result",
    blocks: readBlocks(blocks, onUnknown),
    reward: reward ?? null,
    finished,
    metadata: metadata ?? null,
  };
}

const REASONS: readonly RejectionReason[] = [
  "not_found",
  "name_collision",
  "input_validation",
  "episode_finished",
];

/** Older servers give no reason, so it is derived from the start of the message: `docs/protocols/openreward.md#tools`. */
function rejectionReason(reason: string | null, error: string): RejectionReason {
  const known = REASONS.find((candidate) => candidate === reason);
  if (known !== undefined) return known;
  if (error.startsWith("Tool name collision")) return "name_collision";
  if (error.startsWith("Tool input validation error")) return "input_validation";
  if (error.includes("was not run: the episode has finished")) return "episode_finished";
  return "not_found";
}
