/** A repair that an editor offers for a problem. */

import type { KeyPath } from "../../source/keyPath.ts";
import type { RemedyCommand } from "../../source/remedy.ts";
import type { Diagnosis } from "../diagnostics/diagnose.ts";
import type { TextEdit } from "../text/textEdit.ts";

export interface Fix {
  readonly title: string;
  readonly isPreferred: boolean;
  readonly edits: readonly TextEdit[];
  /** What an editor alone can do, instead of edits; `path` is what it is about. */
  readonly command: { readonly name: RemedyCommand; readonly path: KeyPath } | null;
  readonly diagnosis: Diagnosis;
}
