/** Shows beside the keys of a configuration what its newest run has measured. */

import * as vscode from "vscode";
import type { InlayHint } from "../../core/config/editing/display/inlayHints.ts";
import { commandName } from "../manifest/commandTable.ts";
import { Emitter } from "../vscode/emitter.ts";
import { onSettingChange, readSetting } from "../vscode/settings.ts";
import { isConfigDocument } from "./configFiles.ts";
import type { SharedOptions } from "./configSupportOptions.ts";
import { nameOf } from "./diagnoseOptions.ts";
import { withFallback } from "./withFallback.ts";

export class InlayHintsProvider implements vscode.InlayHintsProvider, vscode.Disposable {
  readonly #options: SharedOptions;
  readonly #changes = new Emitter<void>();
  readonly #listeners: vscode.Disposable;

  readonly onDidChangeInlayHints = (listener: () => void): vscode.Disposable =>
    vscode.Disposable.from(this.#changes.event(listener));

  constructor(options: SharedOptions) {
    this.#options = options;
    const again = (): void => this.#changes.fire();
    this.#listeners = vscode.Disposable.from(
      onSettingChange(["config.inlayHints", "config.files"], again),
      options.onDidChangeMeasures?.(again) ?? { dispose: () => undefined },
    );
  }

  dispose(): void {
    this.#listeners.dispose();
  }

  async provideInlayHints(
    document: vscode.TextDocument,
    range: vscode.Range,
  ): Promise<vscode.InlayHint[]> {
    if (!isConfigDocument(document) || !readSetting("config.inlayHints", document.uri)) return [];
    const measured = this.#options.measuredRun?.(document.uri) ?? null;
    if (measured === null) return [];
    return withFallback(this.#options.log, "inlay hints", [], async () => {
      const { inlayHints } = await this.#options.support();
      const found = inlayHints(document.getText(), { path: nameOf(document), run: measured.run });
      return found.flatMap((hint) => {
        const position = document.positionAt(hint.offset);
        return range.contains(position) ? [asHint(hint, position, measured.folder)] : [];
      });
    });
  }
}

function asHint(
  { label, markdown }: InlayHint,
  position: vscode.Position,
  folder: string,
): vscode.InlayHint {
  const part = new vscode.InlayHintLabelPart(label);
  part.tooltip = new vscode.MarkdownString(markdown);
  // A command of the hint and no link of its text, which would have to be trusted with commands.
  const title = vscode.l10n.t("Open the run");
  part.command = { title, command: commandName("openDashboard"), arguments: [{ folder }] };
  const hint = new vscode.InlayHint(position, [part]);
  hint.paddingLeft = true;
  return hint;
}
