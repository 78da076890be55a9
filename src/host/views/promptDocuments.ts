/** Prompts as read-only documents, with framed control tokens. */

import * as vscode from "vscode";
import { Emitter } from "../../core/util/emitter.ts";
import { plainLine } from "../../core/util/plainText.ts";
import type { PromptDescription } from "../../shared/promptDescription.ts";
import { type PageSpan, promptPage } from "../../shared/promptPage.ts";

export const PROMPT_SCHEME = "tinker-rl-prompt";

/** What a document shows. */
export interface PromptPlace {
  /** Path of the configuration. */
  readonly configPath: string;
  readonly environment: string;
  readonly split: string;
  /** From 0. */
  readonly task: number;
}

export interface ShownPrompt {
  readonly place: PromptPlace;
  readonly description: PromptDescription;
  readonly wantsIds: boolean;
}

interface Mark {
  readonly range: vscode.Range;
  readonly span: PageSpan;
}

interface Page {
  readonly shown: ShownPrompt;
  readonly text: string;
  readonly marks: readonly Mark[];
}

const color = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);

const CONTROL: vscode.DecorationRenderOptions = {
  color: color("textLink.foreground"),
  backgroundColor: color("editorBracketMatch.background"),
  borderWidth: "1px",
  borderStyle: "solid",
  borderColor: color("textLink.foreground"),
};
/**
 * Styles of page parts, alternating, because the editor would draw one frame around adjacent ranges of the same style. Plain text is
 * unstyled.
 */
const STYLES: Readonly<
  Record<Exclude<PageSpan["kind"], "plain">, readonly vscode.DecorationRenderOptions[]>
> = {
  control: [CONTROL, CONTROL],
  heading: [{ fontWeight: "bold" }],
  quiet: [{ color: color("descriptionForeground") }],
  warning: [{ color: color("editorWarning.foreground") }],
};

export class PromptDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #pages = new Map<string, Page>();
  readonly #changes = new Emitter<vscode.Uri>();
  readonly #decorations = Object.entries(STYLES).map(
    ([kind, styles]) =>
      [kind, styles.map((each) => vscode.window.createTextEditorDecorationType(each))] as const,
  );
  readonly #listeners: vscode.Disposable;

  readonly onDidChange = (listener: (uri: vscode.Uri) => void): vscode.Disposable =>
    vscode.Disposable.from(this.#changes.event(listener));

  constructor() {
    this.#listeners = vscode.Disposable.from(
      ...this.#decorations.flatMap(([, byTurns]) => byTurns),
      vscode.workspace.registerTextDocumentContentProvider(PROMPT_SCHEME, this),
      vscode.window.onDidChangeVisibleTextEditors((editors) => this.#decorate(editors)),
      vscode.workspace.onDidChangeTextDocument(() =>
        this.#decorate(vscode.window.visibleTextEditors),
      ),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#pages.delete(uri.toString())),
    );
  }

  dispose(): void {
    this.#listeners.dispose();
  }

  /** What the document at `uri` shows; undefined when it was closed. */
  at(uri: vscode.Uri): ShownPrompt | undefined {
    return this.#pages.get(uri.toString())?.shown;
  }

  async show(shown: ShownPrompt): Promise<void> {
    const uri = promptUri(shown.place);
    const isNew = !this.#pages.has(uri.toString());
    this.#pages.set(uri.toString(), pageOf(shown));
    this.#changes.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const editor = await vscode.window.showTextDocument(document, { preview: true });
    this.#decorate([editor]);
    // Tool declarations are lines of thousands of characters.
    const wrap = vscode.workspace.getConfiguration("editor", document).get("wordWrap");
    if (isNew && wrap === "off") {
      await vscode.commands.executeCommand("editor.action.toggleWordWrap");
    }
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const page = this.#pages.get(uri.toString());
    return page?.text ?? vscode.l10n.t("Run Tinker RL: Preview Prompt to see this prompt again.");
  }

  #decorate(editors: readonly vscode.TextEditor[]): void {
    for (const editor of editors) {
      const page = this.#pages.get(editor.document.uri.toString());
      if (page === undefined || editor.document.getText() !== page.text) continue;
      for (const [kind, byTurns] of this.#decorations) {
        const marks = page.marks.filter(({ span }) => span.kind === kind);
        for (const [turn, decoration] of byTurns.entries()) {
          const own = marks.filter((_, at) => at % byTurns.length === turn);
          editor.setDecorations(decoration, own.map(decorationOf));
        }
      }
    }
  }
}

/** One URI per task; the title contains its name. */
function promptUri({ configPath, environment, split, task }: PromptPlace): vscode.Uri {
  const name = vscode.l10n.t("prompt of {0}, {1} {2}", environment, split, task);
  return vscode.Uri.from({
    scheme: PROMPT_SCHEME,
    path: `/${plainLine(name).replaceAll("/", " ")}`,
    query: JSON.stringify([configPath, environment, split, task]),
  });
}

function pageOf(shown: ShownPrompt): Page {
  const legend = vscode.l10n.t(
    "Control tokens are framed. Ordinary text never becomes one, even if it looks like one.",
  );
  const marks: Mark[] = [];
  const rows = promptPage(shown.description, { ...shown, legend }).map((line, at) => {
    let row = "";
    for (const span of line) {
      const start = row.length;
      // A stray carriage return would start a new line and shift the following marks.
      row += span.text.replace(/[\r\u2028\u2029\u0085]/g, "␍");
      const range = new vscode.Range(at, start, at, row.length);
      if (span.kind !== "plain") marks.push({ range, span });
    }
    return row;
  });
  return { shown, marks, text: `${rows.join("\n")}\n` };
}

function decorationOf({ range, span: { id } }: Mark): vscode.DecorationOptions {
  if (id === undefined) return { range };
  return { range, hoverMessage: vscode.l10n.t("Control token {0}", id) };
}
