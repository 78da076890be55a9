/** One entry of a list of completions, in terms of text and offsets. */

import type { DefaultKind } from "../../fields/schema.ts";
import type { Span } from "../../source/span.ts";
import type { Language } from "../../source/yamlSource.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Cursor } from "../text/cursor.ts";

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

export interface CompletionContext {
  readonly cursor: Cursor;
  readonly language: Language;
  readonly catalogue: Catalogue;
  /** Which defaults hold, by the model that the text names so far. */
  readonly kind: DefaultKind;
  /** Name of the file without folder and ending. */
  readonly fileName: string;
  /** The scalar that the text has for a key at the top level, or null. */
  readonly writtenValue: (key: string) => string | null;
}
