/** Asks before groups are played for an estimate at a cost. */

import * as vscode from "vscode";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { parseConfig } from "../../core/config/parse.ts";
import { newestRunLike } from "../../core/estimate/pastRun.ts";
import type { FileSystem } from "../../core/ports.ts";
import { runParent } from "../../node/runPaths.ts";
import { DRY_RUN_GROUPS } from "../../shared/dryRun.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { settingOverrides } from "../vscode/settingOverrides.ts";

/** True when an estimate costs nothing, or the user agrees to what it costs. */
export async function mayEstimate(fileSystem: FileSystem, uri: vscode.Uri): Promise<boolean> {
  const document = await vscode.workspace.openTextDocument(uri);
  const overrides = settingOverrides(uri);
  const parsed = parseConfig(document.getText(), { path: document.fileName, overrides });
  // The program says what is wrong with it.
  if (!parsed.ok || isLocalModel(parsed.config.model_name)) return true;
  const { config } = parsed;
  const parent = runParent(config, document.fileName);
  if ((await newestRunLike(fileSystem, parent, config)) !== null) return true;
  const play = vscode.l10n.t("Sample Groups");
  const answer = await plainWindow.showInformationMessage(
    vscode.l10n.t(
      "There is no past run with these environments and this model. Sample {0} groups in each environment with {1} instead? The service bills them; no weights are changed.",
      DRY_RUN_GROUPS,
      config.model_name,
    ),
    { modal: true },
    play,
  );
  return answer === play;
}
