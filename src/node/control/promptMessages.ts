/** Checks what an editor and the program that shows it a prompt send each other. */

import * as z from "zod";
import type { PromptReply, PromptRequest } from "../../shared/control.ts";
import { launchError, launchRequestSchema } from "./messages.ts";

const count = z.number().int().nonnegative();

export const promptRequestSchema: z.ZodType<PromptRequest> = z
  .object({
    launch: launchRequestSchema,
    environment: z.string(),
    split: z.string(),
    task: count,
  })
  .readonly();

const pieces = z
  .array(
    z
      .object({
        text: z.string(),
        isControl: z.boolean(),
        ids: z.array(z.number().int()).readonly(),
      })
      .readonly(),
  )
  .readonly();
const example = z
  .object({ call: z.string(), turn: pieces, isRead: z.boolean(), bridge: pieces })
  .readonly();
const description = z
  .object({
    model: z.string(),
    format: z.string(),
    environment: z.string(),
    split: z.string(),
    index: count,
    tools: z.array(z.string()).readonly(),
    prompt: pieces,
    maxTotalTokens: z.number(),
    stops: pieces,
    example: example.nullable(),
    exampleProblem: z.string().nullable(),
    warnings: z.array(z.string()).readonly(),
  })
  .readonly();

export const promptReplySchema: z.ZodType<PromptReply> = z.union([
  z.object({ ok: z.literal(true), description }).readonly(),
  z.object({ ok: z.literal(false), error: launchError }).readonly(),
]);
