/** What the chat layer must know about a family of models beyond its template. */

import type { CallSyntax, MarkerPair } from "../parsing/toolCalls.ts";

/** The added token that ends a turn; sampling stops on it. */
export const END_TOKEN = "<|im_end|>";

export interface TemplateFamily {
  /** Stable name, part of the renderer's id. */
  readonly id: string;
  /** Markers around reasoning; null when the models of the family do not think. */
  readonly thinking: MarkerPair | null;
  readonly calls: CallSyntax;
}
