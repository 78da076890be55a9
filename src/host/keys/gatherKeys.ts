/** What a trainer is told about keys when a run starts, with the questions that this takes. */

import { dirname } from "node:path";
import type { LaunchOrder } from "../../shared/control.ts";
import type { Approvals } from "./approvals.ts";
import type { EnvPermission } from "./envPermission.ts";
import type { KeySources } from "./keySources.ts";
import type { LaunchConfig } from "./launchKeys.ts";
import type { SetKeyParts } from "./setKey.ts";

export type KeyOrder = Pick<LaunchOrder, "keys" | "allowedHosts" | "readsEnvFile">;

export interface GatherParts extends SetKeyParts {
  readonly sources: KeySources;
  readonly approvals: Approvals;
  readonly envPermission: EnvPermission;
}

/**
 * Asks whether `.env` may be read, for keys that are set nowhere, and for leave to hand secrets to environments; each only when the
 * run comes to need it. Null when the user went away from one of the questions.
 */
export async function gatherKeys(
  config: LaunchConfig,
  parts: GatherParts,
): Promise<KeyOrder | null> {
  const { sources, approvals, envPermission } = parts;
  const { launchKeys } = await import("./launchKeys.ts");
  const folder = dirname(config.path);
  let found = await launchKeys(config, sources);
  if (found.needsKeys && (await envPermission.mayRead(folder))) {
    found = await launchKeys(config, sources);
  }
  if (found.missing.length > 0) {
    const { askForMissing } = await import("./setKey.ts");
    if (!(await askForMissing(parts, found.missing))) return null;
    found = await launchKeys(config, sources);
  }
  for (const approval of found.toApprove) {
    if (!(await approvals.ask(approval))) return null;
  }
  return {
    keys: found.keys,
    allowedHosts: approvals.allowedHosts(folder),
    readsEnvFile: envPermission.answer(folder) === "yes",
  };
}
