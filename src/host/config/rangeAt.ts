/** Where a configuration has a setting. */

import type * as vscode from "vscode";
import { keySpan } from "../../core/config/source/locate.ts";
import { rangeOf } from "./textEdits.ts";

/** The key or the value at `path`, or the nearest one above it that the text has. */
export function rangeAt(
  document: vscode.TextDocument,
  path: Parameters<typeof keySpan>[1],
  part: "key" | "value",
): vscode.Range {
  const span = keySpan(document.getText(), path, { path: document.fileName, part });
  return rangeOf(document, span ?? { start: 0, end: 0 });
}
