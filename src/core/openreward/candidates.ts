/** The rollouts of a group as an environment is asked to score them: the body and the reply of `/score_group`. */

import * as z from "zod";
import type { ExactJsonObject } from "../util/exactJson.ts";
import type { Block, Message, MessageBlock } from "./types.ts";

/** Index-aligned with the candidates. */
export const scoresReply = z.object({ scores: z.array(z.object({ reward: z.number() })) });

/** As the official client sends bare conversations. */
export function candidatesBody(candidates: readonly (readonly Message[])[]): ExactJsonObject {
  return {
    candidates: candidates.map((messages) => ({
      messages: messages.map(({ role, blocks }) => ({
        role,
        blocks: blocks.map(messageBlock),
        detail: null,
      })),
      metadata: null,
    })),
  };
}

function messageBlock(block: MessageBlock): ExactJsonObject {
  switch (block.type) {
    case "reasoning":
      return { ...block, signature: null, detail: null };
    case "tool_call":
      return { ...block, detail: null };
    case "tool_result":
      return {
        type: block.type,
        tool_call_id: block.callId,
        blocks: block.blocks.map(plainBlock),
        is_error: block.isError,
        detail: null,
      };
    default:
      return plainBlock(block);
  }
}

function plainBlock(block: Block): ExactJsonObject {
  return { ...block, detail: null };
}
