/** Requests between this extension and its server about conversations with models. */

import * as z from "zod";
import { launchRequestSchema } from "../node/control/messages.ts";
import type { ChatAction, ChatPageMessage, ChatSettings } from "../shared/chat.ts";

export const CHAT_REQUESTS = {
  /**
   * An {@link OpenChatRequest} lives as long as its conversation: it reports each `ChatReply`, and is answered with the `RequestOutcome` of
   * null once the conversation is over. It fails if the conversation cannot start; canceling it closes the conversation.
   */
  open: "tinkerRL/chat/open",
} as const;

/** Sends a {@link ChatActMessage}; the request that opened the conversation reports the result. */
export const CHAT_ACT = "tinkerRL/chat/act";

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

const turnPlace = z
  .object({
    source: z.enum(["training", "evaluation"]),
    /** Counts from 0; in an evaluation, the number of completed steps. */
    step: count,
    /** Null for an evaluation, where `rollout` counts in the order in which rollouts ended, as `show --eval` does. */
    group: number.nullable(),
    rollout: number,
    turn: number,
  })
  .readonly();
/** A turn of a stored rollout. Numbers count from 1, as on screen. */
export type TurnPlace = z.infer<typeof turnPlace>;

export const openChatSchema = z
  .object({
    /** Identifies the conversation. */
    progressToken: z.string(),
    /** The launch for the run whose folder is the first target; `training.resume` holds that folder. */
    launch: launchRequestSchema,
    /** Run folders, checkpoints or models to compare side by side. */
    targets: z.array(z.string()).min(1).max(MAX_TARGETS).readonly(),
    /** The environment task to play, from 0; null = none. A null `environment` or `split` = the first in the configuration. */
    task: z
      .object({ environment: z.string().nullable(), split: z.string().nullable(), index: count })
      .readonly()
      .nullable(),
    /** Turn of a rollout to continue from (the first target must be a run); null = start fresh. */
    turn: turnPlace.nullable(),
    /** True to replay the turns before `turn` in a fresh environment session, which then answers calls. */
    isReplayed: z.boolean(),
    /** Replaces the configuration's system text; null = keep it. */
    system: text.nullable(),
    /** Null = as configured, with a random seed. */
    settings: z.object(settings).readonly().nullable(),
  })
  .readonly();
export type OpenChatRequest = z.infer<typeof openChatSchema>;
/** Parameters of a new conversation. */
export type ChatStart = Omit<OpenChatRequest, "progressToken">;

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

/** `conversation` is the `progressToken` of the request that opened it. */
export const chatActSchema = z
  .object({ conversation: z.string(), action: chatActionSchema })
  .readonly();
export type ChatActMessage = z.infer<typeof chatActSchema>;

export const chatPageMessageSchema: z.ZodType<ChatPageMessage> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("ready") }),
  z.strictObject({ kind: z.literal("act"), action: chatActionSchema }),
  z.strictObject({ kind: z.literal("begin"), what: z.enum(["again", "other", "beside"]) }),
]);
