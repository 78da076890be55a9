/** What the chat layer must know about a family of models beyond its template. */

import type { CallSyntax, MarkerPair } from "../parsing/toolCalls.ts";

export interface TemplateFamily {
  /** Stable name, part of the renderer's id. */
  readonly id: string;
  /** The added token that ends a turn; sampling stops on it. */
  readonly endToken: string;
  /** Markers around reasoning; null when the models of the family do not think. */
  readonly thinking: MarkerPair | null;
  readonly calls: CallSyntax;
  /** The role under which the template takes a tool's result. */
  readonly resultRole: string;
}
