/** Makes names and paths in configurations clickable. */

import * as vscode from "vscode";
import type { LinkTarget } from "../../core/config/editing/display/links.ts";
import { commandUri } from "../vscode/commandUri.ts";
import { isConfigDocument } from "./configFiles.ts";
import type { SharedOptions } from "./configSupportOptions.ts";
import { nameOf } from "./diagnoseOptions.ts";
import { rangeOf } from "./textEdits.ts";
import { withFallback } from "./withFallback.ts";

const ABSOLUTE = /^(?:[/\\]|[a-z]:[/\\])/i;

export class LinkProvider implements vscode.DocumentLinkProvider {
  readonly #options: SharedOptions;

  constructor(options: SharedOptions) {
    this.#options = options;
  }

  async provideDocumentLinks(document: vscode.TextDocument): Promise<vscode.DocumentLink[]> {
    if (!isConfigDocument(document)) return [];
    return withFallback(this.#options.log, "links", [], async () => {
      const { links } = await this.#options.support();
      const catalogue = this.#options.catalogue.current();
      return links(document.getText(), { path: nameOf(document), catalogue }).flatMap(
        ({ span, target }) => {
          const found = placeOf(document.uri, target);
          if (found === null) return [];
          const link = new vscode.DocumentLink(rangeOf(document, span), found.uri);
          link.tooltip = found.tooltip;
          return [link];
        },
      );
    });
  }
}

function placeOf(
  config: vscode.Uri,
  target: LinkTarget,
): { readonly uri: vscode.Uri; readonly tooltip: string } | null {
  switch (target.kind) {
    case "page":
      return { uri: vscode.Uri.parse(target.url), tooltip: vscode.l10n.t("Open environment page") };
    case "environment":
      return {
        uri: commandUri("tinkerRL.environments.focus"),
        tooltip: vscode.l10n.t("Show in Environments"),
      };
    case "checkpoint":
      return {
        uri: commandUri("tinkerRL.checkpoints.focus"),
        tooltip: vscode.l10n.t("Show in Checkpoints"),
      };
    case "folder": {
      const folder = folderUri(config, target.path);
      return folder === null
        ? null
        : {
            uri: commandUri("revealInExplorer", folder),
            tooltip: vscode.l10n.t("Reveal folder"),
          };
    }
  }
}

/** Null where a relative folder has nothing to start at. */
function folderUri(config: vscode.Uri, path: string): vscode.Uri | null {
  if (ABSOLUTE.test(path)) return vscode.Uri.file(path);
  return config.scheme === "untitled" ? null : vscode.Uri.joinPath(config, "..", path);
}
