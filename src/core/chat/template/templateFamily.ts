/** What the chat code must know about a model family beyond its template, and the families that use their own template. */

import type { MarkerPair } from "../parsing/callFormats.ts";

/** The added token that ends a turn; sampling stops on it. */
export const END_TOKEN = "<|im_end|>";

export interface TemplateFamily {
  /** Stable name, part of the renderer's id. */
  readonly id: string;
  /** Markers around reasoning; null if the family's models do not think. */
  readonly thinking: MarkerPair | null;
}

export const qwen3: TemplateFamily = {
  id: "qwen3",
  thinking: { open: "<think>", close: "</think>" },
};

/** Does not reason, and its template drops reasoning from given conversations. */
export const qwen3Instruct: TemplateFamily = { ...qwen3, thinking: null };

export const chatml: TemplateFamily = {
  id: "chatml",
  thinking: null,
};
