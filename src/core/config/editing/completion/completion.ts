/** One entry of a list of completions, in terms of text and offsets. */

import type { Span } from "../../source/span.ts";

export type CompletionKind =
  | "key"
  | "value"
  | "word"
  | "environment"
  | "split"
  | "model"
  | "checkpoint"
  | "secret"
  | "snippet";

export interface Completion {
  readonly label: string;
  readonly kind: CompletionKind;
  /** Right of the label, such as `128 train tasks · 4 tools`. */
  readonly detail: string;
  /** Markdown; empty for none. */
  readonly documentation: string;
  /** In the syntax of editors' snippets: `${1:word}`, `$0`; lines after the first are indented like it. */
  readonly snippet: string;
  readonly replace: Span;
  /** What the typed word is compared with. */
  readonly filter: string;
  /** Entries are listed in the order of these. */
  readonly sort: string;
  readonly isDeprecated: boolean;
  /** True when the value should be completed next. */
  readonly retrigger: boolean;
}

/** Text that a snippet inserts as it is. */
export function snippetText(text: string): string {
  return text.replace(/[\\$}]/g, "\\$&");
}
