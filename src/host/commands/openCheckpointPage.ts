/** *Open in Tinker Console*: opens a checkpoint's page in the browser. */

import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import type { CheckpointEntry } from "../../core/runFolder/checkpointLog.ts";
import { safeAddress } from "../../core/secrets/serviceHosts.ts";
import { checkpointPage } from "../../core/tinker/paths.ts";
import type { Keys } from "../keys/createKeys.ts";
import type { CheckpointPlace } from "./changeCheckpoint.ts";

/** @throws Error for checkpoints on this computer or at another service */
export async function openCheckpointPage(
  run: RunEntry,
  { state_path, sampler_path }: CheckpointEntry,
  place: CheckpointPlace,
  keys: Pick<Keys, "variables">,
): Promise<void> {
  const address =
    place.kind === "Tinker" ? (place.baseUrl ?? safeAddress("tinker", keys.variables())) : null;
  const path = state_path ?? sampler_path;
  const page = path === null || address === null ? null : checkpointPage(path, address);
  if (page === null) {
    throw new Error(
      vscode.l10n.t("The service of {0} has no web pages for its checkpoints.", run.name),
    );
  }
  // VS Code also accepts a string, and only a string keeps the escaped slash, which a URI would unescape.
  await vscode.env.openExternal(page as unknown as vscode.Uri); // for the reason above
}
