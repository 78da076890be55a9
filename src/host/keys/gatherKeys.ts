/** What a trainer is told about keys when a run starts, with the questions that this takes. */

import { dirname } from "node:path";
import type { LaunchError, LaunchOrder } from "../../shared/control.ts";
import type { Approvals } from "./approvals.ts";
import type { EnvPermission } from "./envPermission.ts";
import { keyIdOf } from "./keyNames.ts";
import type { KeySources } from "./keySources.ts";
import type { LaunchConfig } from "./launchKeys.ts";
import type { SetKeyParts } from "./setKey.ts";

export type KeyOrder = Pick<LaunchOrder, "keys" | "allowedHosts" | "envFile">;

export interface GatherParts extends SetKeyParts {
  readonly sources: KeySources;
  readonly approvals: Approvals;
  readonly envPermission: EnvPermission;
  /** The file with keys of a folder, when there is one. */
  readonly files: { readonly inFolder: (folder: string) => Promise<string | null> };
}

/** Called with what the trainer said when it refused to begin; true when the user has mended it, so that it can try again. */
export async function mendKeys(
  { code, key, host, name }: LaunchError,
  folder: string,
  parts: GatherParts,
): Promise<boolean> {
  if (code === "key-host-not-allowed" && key !== undefined && host !== undefined) {
    const approval = { key, host, folder };
    // Refused all the same: another question would change nothing.
    if (parts.approvals.has(approval)) return false;
    return await parts.approvals.ask(approval);
  }
  const id = code === "key-missing" && name !== undefined ? keyIdOf(name) : null;
  if (id === null) return false;
  const { setKey } = await import("./setKey.ts");
  return await setKey(parts, id);
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
    envFile: envPermission.answer(folder) === "yes" ? await parts.files.inFolder(folder) : null,
  };
}
