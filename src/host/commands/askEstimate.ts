/** Asks before playing groups for an estimate if that costs money. */

import * as vscode from "vscode";
import { type BasisRequest, ESTIMATE_REQUESTS, type EstimateBasis } from "../../api/estimate.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import { DRY_RUN_GROUPS } from "../../shared/dryRun.ts";
import type { Server } from "../server/server.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { settingOverrides } from "../vscode/settingOverrides.ts";

/** True if the estimate is free, or the user accepts its cost. */
export async function mayEstimate(
  server: Pick<Server, "request">,
  uri: vscode.Uri,
): Promise<boolean> {
  const request: BasisRequest = { configPath: uri.fsPath, overrides: settingOverrides(uri) };
  const outcome = await server.request<RequestOutcome<EstimateBasis>>(
    ESTIMATE_REQUESTS.basis,
    request,
  );
  // The program reports what is wrong with the configuration.
  if (!outcome.ok) return true;
  const { pastRun, model, isBilled } = outcome.value;
  if (!isBilled || pastRun !== null) return true;
  const play = vscode.l10n.t("Sample Groups");
  const answer = await plainWindow.showInformationMessage(
    vscode.l10n.t(
      "There is no past run with these environments and this model. Sample {0} groups in each environment with {1} instead? The service bills them; no weights are changed.",
      DRY_RUN_GROUPS,
      model,
    ),
    { modal: true },
    play,
  );
  return answer === play;
}
