/** Requests from this extension to its server about prompts. */

import * as z from "zod";
import { launchRequestSchema } from "../node/control/messages.ts";

export const PROMPT_REQUESTS = {
  /** A {@link PromptRequest}, answered with the `RequestOutcome` of a `PromptDescription`. Cancelable. */
  preview: "tinkerRL/prompt/preview",
} as const;

export const promptRequestSchema = z
  .object({
    launch: launchRequestSchema,
    environment: z.string(),
    split: z.string(),
    /** Index in the split, from 0. */
    task: z.number().int().nonnegative(),
  })
  .readonly();

export type PromptRequest = z.infer<typeof promptRequestSchema>;
