/** Shows a trainer's errors in a configuration as diagnostics, even after its task has ended. */

import { resolve } from "node:path";
import * as vscode from "vscode";
import { DIAGNOSTIC_SOURCE } from "../../api/config.ts";
import type { LaunchError } from "../../shared/control.ts";
import { rangeAt } from "../config/rangeAt.ts";
import { offerSuggestions, suggestionActions } from "../config/suggestionActions.ts";
import { documentAt } from "../vscode/workspaceText.ts";
import type { TrainingEnded, Trainings } from "./trainings.ts";

export interface RunDiagnosticsOptions {
  readonly trainings: Pick<Trainings, "active" | "onDidChange" | "onDidEnd">;
  readonly onError: (error: unknown) => void;
}

/** A trainer's message about a position. */
export interface RunFinding {
  readonly path: string;
  /** From 0. */
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning" | "info";
  readonly code: string | null;
  readonly message: string;
}

/** The format of `describeProblem`. */
const LINE = /^(.+?):(\d+):(\d+): (error|warning|info): (?:(TRL\d+) )?(.*)$/;
/** Errors that only a service can detect, with the codes that the configuration features use for them. */
const RULES: Readonly<Record<string, string>> = {
  "environment-not-found": "TRL300",
  "model-not-offered": "TRL302",
  "loss-not-offered": "TRL302",
  "loss-differs": "TRL302",
  "checkpoint-other-model": "TRL303",
};

const SEVERITIES: Readonly<Record<RunFinding["severity"], vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
};

/** The lines of a message that refer to a position. */
export function findingsIn(message: string): readonly RunFinding[] {
  return message.split("\n").flatMap((row) => {
    const [, path, line, column, severity, code, text] = LINE.exec(row) ?? [];
    if (path === undefined || text === undefined) return [];
    return {
      path,
      code: code ?? null,
      message: text,
      line: Math.max(0, Number(line) - 1),
      column: Math.max(0, Number(column) - 1),
      severity: severity as RunFinding["severity"], // the expression allows these words only
    };
  });
}

export class RunDiagnostics implements vscode.Disposable, vscode.CodeActionProvider {
  readonly #options: RunDiagnosticsOptions;
  readonly #marks = vscode.languages.createDiagnosticCollection("tinkerRL.runs");
  /** Edits that may help, by diagnostic. */
  readonly #edits = new WeakMap<vscode.Diagnostic, NonNullable<LaunchError["edits"]>>();
  readonly #listening: vscode.Disposable;

  constructor(options: RunDiagnosticsOptions) {
    this.#options = options;
    const { trainings } = options;
    this.#listening = vscode.Disposable.from(
      trainings.onDidEnd((end) => void this.#ended(end)),
      trainings.onDidChange(() => this.#forgetStarted()),
      offerSuggestions(this),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.#marks.delete(document.uri);
      }),
      // Once the editor has checked the file, drop what both found.
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        for (const uri of uris) this.#withoutKnown(uri);
      }),
    );
  }

  dispose(): void {
    this.#listening.dispose();
    this.#marks.dispose();
  }

  provideCodeActions(document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
    const touched = (this.#marks.get(document.uri) ?? []).filter((mark) =>
      mark.range.intersection(range),
    );
    const suggestions = touched.flatMap((diagnostic) => {
      const edits = this.#edits.get(diagnostic);
      return edits === undefined ? [] : [{ edits, diagnostic }];
    });
    return suggestionActions(document, suggestions);
  }

  async #ended({ error, request }: TrainingEnded): Promise<void> {
    try {
      const uri = vscode.Uri.file(request.configPath);
      this.#marks.delete(uri);
      if (error === null) return;
      const found = findingsIn(error.message).filter(
        ({ path }) => resolve(request.configPath, "..", path) === resolve(request.configPath),
      );
      const marks = found.length > 0 ? found.map(markOf) : await this.#markAt(uri, error);
      this.#marks.set(uri, marks);
      this.#withoutKnown(uri);
    } catch (fault) {
      this.#options.onError(fault);
    }
  }

  /** Clears marks of trainings with a run folder, because their configuration was valid. */
  #forgetStarted(): void {
    for (const { folder, request } of this.#options.trainings.active) {
      if (folder !== null) this.#marks.delete(vscode.Uri.file(request.configPath));
    }
  }

  async #markAt(uri: vscode.Uri, error: LaunchError): Promise<readonly vscode.Diagnostic[]> {
    const { code, message, keys } = error;
    if (keys === undefined) return [];
    const document = await documentAt(uri);
    if (document === null) return [];
    const range = rangeAt(document, keys, keys[0] === "environments" ? "key" : "value");
    const mark = new vscode.Diagnostic(range, message);
    mark.source = DIAGNOSTIC_SOURCE;
    mark.code = RULES[code] ?? code;
    if (error.edits !== undefined) this.#edits.set(mark, error.edits);
    return [mark];
  }

  #withoutKnown(uri: vscode.Uri): void {
    const own = this.#marks.get(uri) ?? [];
    if (own.length === 0) return;
    const others = vscode.languages.getDiagnostics(uri).filter((each) => !own.includes(each));
    const left = own.filter((mark) => !others.some((other) => isSame(mark, other)));
    if (left.length < own.length) this.#marks.set(uri, left);
  }
}

function isSame(mark: vscode.Diagnostic, other: vscode.Diagnostic): boolean {
  const isAtSameLine = mark.range.start.line === other.range.start.line;
  return isAtSameLine && mark.code === other.code && other.source === DIAGNOSTIC_SOURCE;
}

function markOf({ line, column, severity, code, message }: RunFinding): vscode.Diagnostic {
  const place = new vscode.Range(line, column, line, column + 1);
  const mark = new vscode.Diagnostic(place, message, SEVERITIES[severity]);
  mark.source = DIAGNOSTIC_SOURCE;
  if (code !== null) mark.code = code;
  return mark;
}
