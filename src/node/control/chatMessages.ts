/** Checks what an editor and the program that talks to models for it send each other. */

import * as z from "zod";
import type {
  ChatAction,
  ChatPageMessage,
  ChatReply,
  ChatSettings,
  ChatStart,
} from "../../shared/chat.ts";
import { launchError, launchRequestSchema } from "./messages.ts";

const count = z.number().int().nonnegative();
const number = z.number().int().positive();
/** More than anybody types, or pastes. */
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
const allSettings = z.object(settings).readonly();

export const chatStartSchema: z.ZodType<ChatStart> = z
  .object({
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
    settings: allSettings.nullable(),
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

export const chatActionSchema: z.ZodType<ChatAction> = z.discriminatedUnion("action", [
  z.strictObject({ action: z.enum(["say", "answer"]), text }),
  z.strictObject({ action: z.enum(["proceed", "again", "undo"]) }),
  z.strictObject({ action: z.literal("stop") }),
  z.strictObject({ action: z.literal("choose"), index: count }),
  z.strictObject({ action: z.literal("change"), settings: changes }),
]);

export const chatPageMessageSchema: z.ZodType<ChatPageMessage> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("ready") }),
  z.strictObject({ kind: z.literal("act"), action: chatActionSchema }),
  z.strictObject({ kind: z.literal("begin"), what: z.enum(["again", "other", "beside"]) }),
]);

const turnView = z
  .object({
    thinking: z.string().nullable(),
    text: z.string(),
    calls: z.array(z.object({ name: z.string(), args: z.string() }).readonly()).readonly(),
    errors: z.array(z.object({ message: z.string(), raw: z.string() }).readonly()).readonly(),
    raw: z.string(),
    tokens: count,
    isCut: z.boolean(),
  })
  .readonly();
const answer = z
  .object({
    name: z.string(),
    text: z.string(),
    isError: z.boolean(),
    reward: z.number().nullable(),
    finished: z.boolean(),
  })
  .readonly();
const entry = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("message"), text: z.string() }).readonly(),
  z.object({ kind: z.literal("turn"), turn: turnView }).readonly(),
  z
    .object({ kind: z.literal("answers"), by: answersBy, answers: z.array(answer).readonly() })
    .readonly(),
]);
const partner = z
  .object({
    label: z.string(),
    next: z.enum(["message", "turn", "choice", "answers", "nothing"]),
    opening: z.string(),
    entries: z.array(entry).readonly(),
    candidates: z.array(turnView).readonly(),
    tokens: count,
    used: z.object({ tokens: count, costUsd: z.number().nullable() }).readonly(),
    reward: z.number().nullable(),
  })
  .readonly();
const view = z
  .object({
    task: z.string().nullable(),
    notes: z.array(z.string()).readonly(),
    settings: allSettings,
    configured: z.object({ temperature: z.number(), maxTokens: z.number().nullable() }).readonly(),
    sampling: z.object({ done: count, total: count }).readonly().nullable(),
    askedCall: z.string().nullable(),
    partners: z.array(partner).readonly(),
  })
  .readonly();

export const chatReplySchema: z.ZodType<ChatReply> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("part"), what: z.string() }).readonly(),
  z.object({ kind: z.literal("view"), view }).readonly(),
  z.object({ kind: z.literal("failed"), error: launchError, isOver: z.boolean() }).readonly(),
]);
