/** Collects the keys for a trainer when a run starts, with the necessary prompts. */

import { dirname } from "node:path";
import type { Values } from "../../core/secrets/serviceHosts.ts";
import type { LaunchError, LaunchRequest } from "../../shared/control.ts";
import type { Approvals } from "./approvals.ts";
import { readEnv } from "./envFile.ts";
import type { EnvPermission } from "./envPermission.ts";
import { keyIdOf } from "./keyNames.ts";
import type { KeySources } from "./keySources.ts";
import { type LaunchConfig, launchKeys } from "./launchKeys.ts";
import { type SetKeyOptions, setKey } from "./setKey.ts";
import type { EnvFiles } from "./workspaceEnvFiles.ts";

export type KeyOrder = Pick<LaunchRequest, "keys" | "allowedOrigins" | "envFile">;

export interface GatherKeysOptions extends SetKeyOptions {
  readonly sources: KeySources;
  readonly approvals: Approvals;
  readonly envPermission: EnvPermission;
  readonly files: Pick<EnvFiles, "inFolder" | "read">;
}

/**
 * Handles a trainer's refusal to start; true if the user fixed the cause, so that it can be retried. `folder` is {@link
 * LaunchConfig.project}.
 */
export async function recoverFromLaunchError(
  { code, key, host, name }: LaunchError,
  folder: string,
  options: GatherKeysOptions,
): Promise<boolean> {
  if (code === "key-host-not-allowed" && key !== undefined && host !== undefined) {
    const approval = { key, origin: host, folder };
    // The trainer refused despite the approval, so asking again would not help.
    if (options.approvals.has(approval)) return false;
    return await options.approvals.ask(approval);
  }
  const id = code === "key-missing" && name !== undefined ? keyIdOf(name) : null;
  if (id === null) return false;
  return await setKey(options, id);
}

/**
 * Asks whether `.env` may be read, for keys that are not set, and for permission to pass secrets to environments, each only if the run
 * needs it. Null if the user dismissed a prompt.
 */
export async function gatherKeys(
  config: LaunchConfig,
  options: GatherKeysOptions,
): Promise<KeyOrder | null> {
  const { sources, approvals } = options;
  let found = await launchKeys(config, sources, {});
  const envFile = found.needsKeys ? await readableFile(config, options) : null;
  const inFile = await valuesIn(envFile, options);
  if (envFile !== null) found = await launchKeys(config, sources, inFile);
  for (const { id, reason } of found.missing) {
    if (!(await setKey(options, id, reason))) return null;
  }
  if (found.missing.length > 0) found = await launchKeys(config, sources, inFile);
  for (const approval of found.toApprove) {
    if (!(await approvals.ask(approval))) return null;
  }
  return { keys: found.keys, allowedOrigins: approvals.allowedOrigins(config.project), envFile };
}

/** The `.env` file next to the configuration, if it may be read for this project; asks once. */
async function readableFile(
  { path, project }: LaunchConfig,
  { files, envPermission }: GatherKeysOptions,
): Promise<string | null> {
  const file = await files.inFolder(dirname(path));
  if (file === null) return null;
  return (await envPermission.mayRead({ folder: project, file })) ? file : null;
}

async function valuesIn(file: string | null, { files }: GatherKeysOptions): Promise<Values> {
  return readEnv(file === null ? "" : ((await files.read(file)) ?? ""));
}
