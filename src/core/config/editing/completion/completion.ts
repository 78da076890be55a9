/** One entry of a completion list, in terms of text and offsets. */

import type { Shape } from "../../fields/field.ts";
import type { DefaultKind } from "../../fields/schema.ts";
import type { KeyPath } from "../../source/keyPath.ts";
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
  /** Shown to the right of the label, such as `128 train tasks · 4 tools`. */
  readonly detail: string;
  /** Markdown; empty for none. */
  readonly documentation: string;
  /** Editor snippet syntax: `${1:word}`, `$0`. Lines after the first are indented to match it. */
  readonly snippet: string;
  readonly replace: Span;
  /** What the typed text is matched against. */
  readonly filter: string;
  /** Sort key. */
  readonly sort: string;
  readonly isDeprecated: boolean;
  /** True when completion should be triggered again for the value. */
  readonly retrigger: boolean;
}

/** Escapes text so that a snippet inserts it verbatim. */
export function snippetText(text: string): string {
  return text.replace(/[\\$}]/g, "\\$&");
}

export interface CompletionContext {
  readonly cursor: Cursor;
  /** The cursor's path in the configuration of its stage, or of the file. */
  readonly path: KeyPath;
  readonly language: Language;
  readonly catalogue: Catalogue;
  /** Which defaults apply, based on the model that the text names so far. */
  readonly kind: DefaultKind;
  /** Name of the file without folder and extension. */
  readonly fileName: string;
  /** The scalar written for a key of the stage or at the top of the file, or null. */
  readonly writtenValue: (key: string) => string | null;
}

/** A key before it is formatted for the text at the cursor. */
export interface OfferedKey {
  readonly key: string;
  readonly kind: CompletionKind;
  readonly detail: string;
  readonly documentation?: string;
  readonly shape: Shape;
  /** Value to type over, if any. */
  readonly example?: string | null;
  /** A snippet for the whole value, used instead of one derived from the shape. */
  readonly block?: string;
  /** Lower ranks are listed first. */
  readonly rank?: number;
  readonly isDeprecated?: boolean;
}

/** A key of a map, whose values all have the same shape. */
export type MapKey = Omit<OfferedKey, "shape">;
