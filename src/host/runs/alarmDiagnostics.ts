/** Shows alarms as diagnostics on the related configuration settings, with quick fixes. */

import * as vscode from "vscode";
import { DIAGNOSTIC_SOURCE } from "../../api/config.ts";
import type { RunEntry } from "../../api/runs.ts";
import type { FiringAlarm } from "../../core/alarms/alarmEvents.ts";
import { ALARMS } from "../../core/alarms/alarmTable.ts";
import { suggestedPlace, suggestionEdits } from "../../core/config/editing/edits/suggestion.ts";
import { plainMessage } from "../../core/util/plainText.ts";
import { runFolder } from "../../node/runFolder.ts";
import { formatCount } from "../../shared/format.ts";
import { isConfigDocument } from "../config/configFiles.ts";
import { rangeAt } from "../config/rangeAt.ts";
import { offerSuggestions, suggestionActions } from "../config/suggestionActions.ts";
import { commandName } from "../manifest/commandTable.ts";
import { documentAt } from "../vscode/workspaceText.ts";
import type { RunAlarms } from "./runAlarms.ts";
import type { RunList } from "./runList.ts";
import { stageOfRun } from "./stageOfRun.ts";

export interface AlarmDiagnosticsOptions {
  readonly store: RunList;
  readonly alarms: RunAlarms;
  readonly onError: (error: unknown) => void;
}

interface Mark {
  readonly folder: string;
  /** As returned by {@link stageOfRun}. */
  readonly stage: string | null;
  readonly diagnostic: vscode.Diagnostic;
  readonly alarm: FiringAlarm;
}

interface RunAlarmList {
  readonly run: RunEntry;
  readonly firing: readonly FiringAlarm[];
}

const SEVERITIES: Readonly<Record<FiringAlarm["severity"], vscode.DiagnosticSeverity>> = {
  info: vscode.DiagnosticSeverity.Information,
  warning: vscode.DiagnosticSeverity.Warning,
  critical: vscode.DiagnosticSeverity.Warning,
};

export class AlarmDiagnostics implements vscode.Disposable, vscode.CodeActionProvider {
  readonly #options: AlarmDiagnosticsOptions;
  readonly #collection = vscode.languages.createDiagnosticCollection("tinkerRL.alarms");
  /** By configuration path. */
  #marks = new Map<string, readonly Mark[]>();
  readonly #listening: vscode.Disposable;
  #drawing: Promise<void> = Promise.resolve();
  #isDue = false;

  constructor(options: AlarmDiagnosticsOptions) {
    this.#options = options;
    const { store, alarms } = options;
    const draw = (): void => this.#soon();
    this.#listening = vscode.Disposable.from(
      alarms.onDidChange(draw),
      store.onDidChange((folder) => folder === null && draw()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && this.#marks.has(document.uri.fsPath)) draw();
      }),
      offerSuggestions(this),
    );
  }

  dispose(): void {
    this.#listening.dispose();
    this.#collection.dispose();
  }

  provideCodeActions(document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
    const touched = (this.#marks.get(document.uri.fsPath) ?? []).filter(({ diagnostic }) =>
      diagnostic.range.intersection(range),
    );
    const fixes = suggestionActions(
      document,
      touched.map(({ diagnostic, alarm: { edits }, stage }) => ({ edits, diagnostic, stage })),
    );
    return [...fixes, ...touched.map(evidenceAction)];
  }

  /** Coalesces changes that arrive during a drawing into one more drawing. */
  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#drawing = this.#drawing
      .then(() => {
        this.#isDue = false;
        return this.#draw();
      })
      .catch(this.#options.onError);
  }

  async #draw(): Promise<void> {
    const drawn = new Map<string, readonly Mark[]>();
    for (const [path, own] of this.#byConfig()) {
      const marks = own.firing.length === 0 ? [] : await marksIn(path, own);
      if (marks.length > 0) drawn.set(path, marks);
    }
    for (const path of this.#marks.keys()) {
      if (!drawn.has(path)) this.#collection.delete(vscode.Uri.file(path));
    }
    this.#marks = drawn;
    for (const [path, marks] of drawn) {
      const diagnostics = marks.map(({ diagnostic }) => diagnostic);
      this.#collection.set(vscode.Uri.file(path), diagnostics);
    }
  }

  /** The alarms of each configuration's newest training; an evaluation has none of its own. */
  #byConfig(): ReadonlyMap<string, RunAlarmList> {
    const { store, alarms } = this.#options;
    const newest = new Map<string, RunAlarmList>();
    for (const run of store.runs) {
      if (run.file === null || run.file.evaluation !== undefined) continue;
      const path = runFolder(run.file.configPath);
      if (newest.has(path)) continue;
      newest.set(path, { run, firing: alarms.of(run.folder) });
    }
    return newest;
  }
}

/** Opens the dashboard at the data behind the alarm. */
function evidenceAction({ alarm, diagnostic, folder }: Mark): vscode.CodeAction {
  const title = vscode.l10n.t("Show what triggered the alarm: {0}", ALARMS[alarm.id].title);
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.command = {
    title,
    command: commandName("showAlarm"),
    arguments: [{ folder, alarm: alarm.id }],
  };
  action.diagnostics = [diagnostic];
  return action;
}

/** Marks the setting that may help; empty if the file already contains the change, or does not exist. */
async function marksIn(path: string, { firing, run }: RunAlarmList): Promise<readonly Mark[]> {
  const uri = vscode.Uri.file(path);
  // The path comes from the run folder, which may come from anyone.
  if (vscode.workspace.getWorkspaceFolder(uri) === undefined) return [];
  const document = await documentAt(uri);
  if (document === null || !isConfigDocument(document)) return [];
  const text = document.getText();
  const { folder } = run;
  const stage = await stageOfRun(run);
  return firing.flatMap((alarm): readonly Mark[] => {
    const hasFix = alarm.edits.length > 0;
    if (hasFix && suggestionEdits(text, alarm.edits, { path, stage })?.length === 0) return [];
    const key = alarm.edits[0]?.path ?? ["environments"];
    const place = suggestedPlace(text, key, { path, stage });
    const message = plainMessage(
      `${vscode.l10n.t("Step {0}", formatCount(alarm.step + 1))}: ${alarm.seen} ${alarm.meaning}`,
    );
    const diagnostic = new vscode.Diagnostic(
      rangeAt(document, place, "key"),
      message,
      SEVERITIES[alarm.severity],
    );
    diagnostic.source = DIAGNOSTIC_SOURCE;
    diagnostic.code = alarm.id;
    return [{ diagnostic, alarm, folder, stage }];
  });
}
