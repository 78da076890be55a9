/** Shows what can be done with a configuration, and what its run does, above its lines. */

import * as vscode from "vscode";
import type { Lens, LensAction } from "../../core/config/editing/display/lenses.ts";
import { Emitter } from "../vscode/emitter.ts";
import { onSettingChange, readSetting } from "../vscode/settings.ts";
import { isConfigDocument } from "./configFiles.ts";
import type { ConfigRun, SharedOptions } from "./configSupportOptions.ts";
import { nameOf } from "./diagnoseOptions.ts";
import { rangeOf } from "./textEdits.ts";
import { withFallback } from "./withFallback.ts";

const ICONS: Readonly<Partial<Record<LensAction, string>>> = {
  start: "play",
  validate: "check",
  estimate: "graph",
  stop: "debug-stop",
};

export class CodeLensProvider implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #options: SharedOptions;
  readonly #changes = new Emitter<void>();
  readonly #listeners: vscode.Disposable;

  readonly onDidChangeCodeLenses = (listener: () => void): vscode.Disposable =>
    vscode.Disposable.from(this.#changes.event(listener));

  constructor(options: SharedOptions) {
    this.#options = options;
    const again = (): void => this.#changes.fire();
    this.#listeners = vscode.Disposable.from(
      onSettingChange(["config.codeLens", "config.files"], again),
      options.catalogue.onDidChange?.(again) ?? { dispose: () => undefined },
      options.onDidChangeRuns?.(again) ?? { dispose: () => undefined },
      vscode.workspace.onDidGrantWorkspaceTrust(again),
    );
  }

  dispose(): void {
    this.#listeners.dispose();
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (!isConfigDocument(document) || !readSetting("config.codeLens", document.uri)) return [];
    return withFallback(this.#options.log, "lenses", [], async () => {
      const { lenses } = await this.#options.support();
      const run = this.#options.runStatus(document.uri);
      const found = lenses(document.getText(), {
        path: nameOf(document),
        catalogue: this.#options.catalogue.current(),
        status: run.status,
      });
      return found
        .filter(({ action }) => isAllowed(action))
        .map((lens) => asLens(document, lens, run));
    });
  }
}

/** Absent in Restricted Mode. */
const STARTS_PROGRAM: ReadonlySet<LensAction> = new Set(["start", "estimate", "stop"]);

function isAllowed(action: LensAction): boolean {
  return vscode.workspace.isTrusted || !STARTS_PROGRAM.has(action);
}

function asLens(
  document: vscode.TextDocument,
  { span, title, action }: Lens,
  run: ConfigRun,
): vscode.CodeLens {
  const icon = ICONS[action];
  const shown = icon === undefined ? title : `$(${icon}) ${title}`;
  return new vscode.CodeLens(rangeOf(document, span), {
    title: shown,
    ...commandFor(action, document.uri, run),
  });
}

function commandFor(
  action: LensAction,
  uri: vscode.Uri,
  { target }: ConfigRun,
): Pick<vscode.Command, "command" | "arguments"> {
  switch (action) {
    case "start":
      return { command: "tinkerRL.startTraining", arguments: [uri] };
    case "validate":
      return { command: "tinkerRL.validateConfig", arguments: [uri] };
    case "estimate":
      return { command: "tinkerRL.estimateCost", arguments: [uri] };
    case "stop":
      return { command: "tinkerRL.stopRun", arguments: [target] };
    case "openDashboard":
    case "openLastRun":
      return { command: "tinkerRL.openDashboard", arguments: [target] };
    case "none":
      return { command: "" };
  }
}
