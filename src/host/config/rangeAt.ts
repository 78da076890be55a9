/** Finds the range of a setting in a configuration. */

import type * as vscode from "vscode";
import { keySpan } from "../../core/config/source/locate.ts";
import { rangeOf } from "./textEdits.ts";

/** Range of the key or value at `path`, or of its nearest ancestor in the text. */
export function rangeAt(
  document: vscode.TextDocument,
  path: Parameters<typeof keySpan>[1],
  part: "key" | "value",
): vscode.Range {
  const span = keySpan(document.getText(), path, { path: document.fileName, part });
  return rangeOf(document, span ?? { start: 0, end: 0 });
}
