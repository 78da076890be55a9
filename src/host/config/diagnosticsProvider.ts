/** Marks what is wrong in configurations while they are written. */

import * as vscode from "vscode";
import type { Diagnosis } from "../../core/config/editing/diagnostics/diagnose.ts";
import { onSettingChange } from "../vscode/settings.ts";
import { isConfigDocument } from "./configFiles.ts";
import type { SharedOptions } from "./configSupportOptions.ts";
import { diagnoseOptions } from "./diagnoseOptions.ts";
import { rangeOf } from "./textEdits.ts";
import { withFallback } from "./withFallback.ts";

const SETTLE_MS = 150;
const DIAGNOSTIC_SOURCE = "Tinker RL";

const SEVERITIES: Readonly<Record<Diagnosis["severity"], vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

export class DiagnosticsProvider implements vscode.Disposable {
  readonly #options: SharedOptions;
  readonly #marks = vscode.languages.createDiagnosticCollection("tinkerRL");
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #listeners: vscode.Disposable;

  constructor(options: SharedOptions) {
    this.#options = options;
    const all = (): void => this.#all();
    this.#listeners = vscode.Disposable.from(
      vscode.workspace.onDidOpenTextDocument((document) => this.#soon(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#soon(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.#forget(document.uri)),
      vscode.workspace.onDidGrantWorkspaceTrust(all),
      onSettingChange(["config.files", "config.advice", "config.schemaDiagnostics"], all),
      options.catalogue.onDidChange?.(all) ?? NOTHING,
      options.onDidChangeOverrides?.(all) ?? NOTHING,
    );
    this.#all();
  }

  dispose(): void {
    this.#listeners.dispose();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#marks.dispose();
  }

  /** Checks a document now, shows what was found, and returns it. */
  async check(document: vscode.TextDocument): Promise<readonly Diagnosis[]> {
    const { version } = document;
    const { diagnose } = await this.#options.support();
    const found = diagnose(document.getText(), diagnoseOptions(document, this.#options));
    // While the first check loads its rules, someone goes on typing.
    if (document.version === version && !document.isClosed) {
      this.#marks.set(
        document.uri,
        found.map((one) => asDiagnostic(document, one)),
      );
    }
    return found;
  }

  #all(): void {
    for (const document of vscode.workspace.textDocuments) this.#soon(document);
  }

  #soon(document: vscode.TextDocument): void {
    const { uri } = document;
    if (!isConfigDocument(document)) {
      this.#forget(uri);
      return;
    }
    const key = uri.toString();
    clearTimeout(this.#timers.get(key));
    this.#timers.set(
      key,
      setTimeout(() => {
        this.#timers.delete(key);
        void withFallback(this.#options.log, "the check", [], () => this.check(document));
      }, SETTLE_MS),
    );
  }

  #forget(uri: vscode.Uri): void {
    const key = uri.toString();
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
    this.#marks.delete(uri);
  }
}

const NOTHING = { dispose: (): void => undefined };

function asDiagnostic(document: vscode.TextDocument, found: Diagnosis): vscode.Diagnostic {
  const { span, message, severity, code, tag, related } = found;
  const mark = new vscode.Diagnostic(rangeOf(document, span), message, SEVERITIES[severity]);
  mark.source = DIAGNOSTIC_SOURCE;
  mark.code = code;
  if (tag === "unnecessary") mark.tags = [vscode.DiagnosticTag.Unnecessary];
  if (tag === "deprecated") mark.tags = [vscode.DiagnosticTag.Deprecated];
  mark.relatedInformation = related.map(
    ({ path, span: place }) =>
      new vscode.DiagnosticRelatedInformation(
        new vscode.Location(document.uri, rangeOf(document, place)),
        vscode.l10n.t("see {0}", path.at(-1) ?? ""),
      ),
  );
  return mark;
}
