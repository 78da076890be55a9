/** The input of a completion. */

import type { DefaultKind } from "../../fields/schema.ts";
import type { Language } from "../../source/yamlSource.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Cursor } from "../text/cursor.ts";

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
