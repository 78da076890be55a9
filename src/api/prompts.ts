/** What an editor of this package asks its server about prompts. */

import * as z from "zod";
import { launchRequestSchema } from "../node/control/messages.ts";
import type { LaunchRequest } from "../shared/control.ts";

export const PROMPT_REQUESTS = {
  /** A {@link PromptRequest}, answered with the `RequestOutcome` of a `PromptDescription`. Can be canceled. */
  preview: "tinkerRL/prompt/preview",
} as const;

export interface PromptRequest {
  readonly launch: LaunchRequest;
  readonly environment: string;
  readonly split: string;
  /** Counted in the split, from 0. */
  readonly task: number;
}

export const promptRequestSchema: z.ZodType<PromptRequest> = z
  .object({
    launch: launchRequestSchema,
    environment: z.string(),
    split: z.string(),
    task: z.number().int().nonnegative(),
  })
  .readonly();
