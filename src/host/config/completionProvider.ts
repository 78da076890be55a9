/** Offers keys and values of configurations while they are written. */

import * as vscode from "vscode";
import type { CatalogueLists } from "../../core/config/editing/catalogue/catalogue.ts";
import type {
  Completion,
  CompletionKind,
} from "../../core/config/editing/completion/completion.ts";
import { isConfigDocument } from "./configFiles.ts";
import type { SharedOptions } from "./configSupportOptions.ts";
import { nameOf } from "./diagnoseOptions.ts";
import { rangeOf } from "./textEdits.ts";
import { withFallback } from "./withFallback.ts";

export const COMPLETION_TRIGGERS: readonly string[] = [":", " ", '"', "/", "-", "[", "{", ","];
/** Nobody waits longer for names that a service has to be asked for. */
const PATIENCE_MS = 1_000;

const KINDS: Readonly<Record<CompletionKind, vscode.CompletionItemKind>> = {
  key: vscode.CompletionItemKind.Property,
  value: vscode.CompletionItemKind.Value,
  word: vscode.CompletionItemKind.EnumMember,
  environment: vscode.CompletionItemKind.Module,
  split: vscode.CompletionItemKind.Folder,
  model: vscode.CompletionItemKind.Class,
  checkpoint: vscode.CompletionItemKind.Reference,
  secret: vscode.CompletionItemKind.Variable,
  snippet: vscode.CompletionItemKind.Snippet,
};

export class CompletionProvider implements vscode.CompletionItemProvider {
  readonly #options: SharedOptions;

  constructor(options: SharedOptions) {
    this.#options = options;
  }

  async provideCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
    token: vscode.CancellationToken,
  ): Promise<vscode.CompletionList> {
    const none = new vscode.CompletionList([], false);
    if (!isConfigDocument(document)) return none;
    return withFallback(this.#options.log, "completion", none, async () => {
      const { complete, namesToLoad } = await this.#options.support();
      const path = nameOf(document);
      const [text, offset] = [document.getText(), document.offsetAt(position)];
      const isUpToDate = await this.#update(namesToLoad(text, offset, { path }));
      if (token.isCancellationRequested) return none;
      const catalogue = this.#options.catalogue.current();
      const found = complete(text, offset, { path, catalogue });
      return new vscode.CompletionList(
        found.map((one) => asItem(document, one)),
        !isUpToDate,
      );
    });
  }

  /** False when the lists did not arrive in time; completion then offers what is known already. */
  async #update(wanted: readonly (keyof CatalogueLists)[]): Promise<boolean> {
    const update = wanted.length === 0 ? undefined : this.#options.catalogue.update?.(wanted);
    if (update === undefined) return true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), PATIENCE_MS);
    });
    const done = update.then(
      () => true,
      () => true,
    );
    const isUpToDate = await Promise.race([done, late]);
    clearTimeout(timer);
    return isUpToDate;
  }
}

function asItem(document: vscode.TextDocument, found: Completion): vscode.CompletionItem {
  const { label, detail, documentation, snippet, replace, filter, sort } = found;
  const item = new vscode.CompletionItem({ label, description: detail }, KINDS[found.kind]);
  item.detail = detail;
  if (documentation !== "") item.documentation = new vscode.MarkdownString(documentation);
  item.insertText = new vscode.SnippetString(snippet);
  item.range = rangeOf(document, replace);
  item.filterText = filter;
  item.sortText = sort;
  if (found.isDeprecated) item.tags = [vscode.CompletionItemTag.Deprecated];
  if (found.retrigger) {
    item.command = {
      command: "editor.action.triggerSuggest",
      title: vscode.l10n.t("Suggest values"),
    };
  }
  return item;
}
