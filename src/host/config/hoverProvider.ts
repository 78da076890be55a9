/** Tells about the key or value under the pointer. */

import * as vscode from "vscode";
import { isConfigDocument } from "./configFiles.ts";
import type { SharedParts } from "./configParts.ts";
import { diagnoseOptions } from "./diagnoseOptions.ts";
import { guarded } from "./guarded.ts";
import { rangeOf } from "./textEdits.ts";

export class HoverProvider implements vscode.HoverProvider {
  readonly #parts: SharedParts;

  constructor(parts: SharedParts) {
    this.#parts = parts;
  }

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.Hover | null> {
    if (!isConfigDocument(document)) return null;
    return guarded(this.#parts.log, "hover", null, async () => {
      const { hover } = await this.#parts.support();
      const options = diagnoseOptions(document, this.#parts);
      const found = hover(document.getText(), document.offsetAt(position), options);
      if (found === null) return null;
      // Neither trusted nor HTML: part of it comes from services.
      return new vscode.Hover(
        new vscode.MarkdownString(found.markdown),
        rangeOf(document, found.span),
      );
    });
  }
}
