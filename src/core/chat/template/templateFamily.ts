/** What the chat layer must know about a family of models beyond its template, and the families that speak by theirs. */

import type { MarkerPair } from "../parsing/toolCalls.ts";

/** The added token that ends a turn; sampling stops on it. */
export const END_TOKEN = "<|im_end|>";

export interface TemplateFamily {
  /** Stable name, part of the renderer's id. */
  readonly id: string;
  /** Markers around reasoning; null when the models of the family do not think. */
  readonly thinking: MarkerPair | null;
}

export const qwen3: TemplateFamily = {
  id: "qwen3",
  thinking: { open: "<think>", close: "</think>" },
};

/** Does not reason, and its template drops reasoning that a given conversation holds. */
export const qwen3Instruct: TemplateFamily = { ...qwen3, thinking: null };

export const chatml: TemplateFamily = {
  id: "chatml",
  thinking: null,
};
