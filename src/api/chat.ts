/** Requests between this extension and its server about conversations with models. */

import * as z from "zod";
import { launchRequestSchema } from "../node/control/messages.ts";
import type { ChatAction, ChatPageMessage, ChatSettings, ChatStart } from "../shared/chat.ts";
import type { ReportsProgress } from "./requests.ts";

export const CHAT_REQUESTS = {
  /**
   * An {@link OpenChatRequest} lives as long as its conversation: it reports each `ChatReply`, and is answered with the `RequestOutcome` of
   * null once the conversation is over. It fails if the conversation cannot start; canceling it closes the conversation.
   */
  open: "tinkerRL/chat/open",
} as const;

/** Sends a {@link ChatActMessage}; the request that opened the conversation reports the result. */
export const CHAT_ACT = "tinkerRL/chat/act";

/** Its `progressToken` identifies the conversation. */
export interface OpenChatRequest extends ChatStart, ReportsProgress {}

export interface ChatActMessage {
  /** The `progressToken` of the request that opened it. */
  readonly conversation: string;
  readonly action: ChatAction;
}

const count = z.number().int().nonnegative();
const number = z.number().int().positive();
/** More than anyone types or pastes. */
const MAX_TEXT = 1_000_000;
const MAX_TARGETS = 8;
const text = z.string().max(MAX_TEXT);
const answersBy = z.enum(["environment", "person"]);

const settings = {
  temperature: z.number().nonnegative().nullable(),
  maxTokens: number.nullable(),
  seed: count,
  samples: number.max(64),
  answersBy,
};

export const openChatSchema: z.ZodType<OpenChatRequest> = z
  .object({
    progressToken: z.string(),
    launch: launchRequestSchema,
    targets: z.array(z.string()).min(1).max(MAX_TARGETS).readonly(),
    task: z
      .object({ environment: z.string().nullable(), split: z.string().nullable(), index: count })
      .readonly()
      .nullable(),
    turn: z
      .object({
        source: z.enum(["training", "evaluation"]),
        step: count,
        group: number.nullable(),
        rollout: number,
        turn: number,
      })
      .readonly()
      .nullable(),
    isReplayed: z.boolean(),
    system: text.nullable(),
    settings: z.object(settings).readonly().nullable(),
  })
  .readonly();

const changes: z.ZodType<Partial<ChatSettings>> = z
  .object({
    temperature: settings.temperature.exactOptional(),
    maxTokens: settings.maxTokens.exactOptional(),
    seed: settings.seed.exactOptional(),
    samples: settings.samples.exactOptional(),
    answersBy: settings.answersBy.exactOptional(),
  })
  .readonly();

const chatActionSchema: z.ZodType<ChatAction> = z.discriminatedUnion("action", [
  z.strictObject({ action: z.enum(["say", "answer"]), text }),
  z.strictObject({ action: z.enum(["proceed", "again", "undo"]) }),
  z.strictObject({ action: z.literal("stop") }),
  z.strictObject({ action: z.literal("choose"), index: count }),
  z.strictObject({ action: z.literal("change"), settings: changes }),
]);

export const chatActSchema: z.ZodType<ChatActMessage> = z
  .object({ conversation: z.string(), action: chatActionSchema })
  .readonly();

export const chatPageMessageSchema: z.ZodType<ChatPageMessage> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("ready") }),
  z.strictObject({ kind: z.literal("act"), action: chatActionSchema }),
  z.strictObject({ kind: z.literal("begin"), what: z.enum(["again", "other", "beside"]) }),
]);
