/** Describes the key or value under the pointer. */

import * as vscode from "vscode";
import { isConfigDocument } from "./configFiles.ts";
import type { SharedOptions } from "./configSupportOptions.ts";
import { diagnoseOptions } from "./diagnoseOptions.ts";
import { rangeOf } from "./textEdits.ts";
import { withFallback } from "./withFallback.ts";

export class HoverProvider implements vscode.HoverProvider {
  readonly #options: SharedOptions;

  constructor(options: SharedOptions) {
    this.#options = options;
  }

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.Hover | null> {
    if (!isConfigDocument(document)) return null;
    return withFallback(this.#options.log, "hover", null, async () => {
      const { hover } = await this.#options.support();
      const options = diagnoseOptions(document, this.#options);
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
