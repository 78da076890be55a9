/** The editor's request to a trainer: what to run, addresses, keys and the user's permissions. */

import * as vscode from "vscode";
import type { RequestOutcome } from "../../api/requests.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { serviceVariables } from "../../core/secrets/serviceHosts.ts";
import { CONTROL_VERSION, type LaunchError, type LaunchRequest } from "../../shared/control.ts";
import type { Keys } from "../keys/createKeys.ts";
import type { LaunchConfig } from "../keys/launchKeys.ts";
import { readSetting, settingOverrides } from "../vscode/settings.ts";
import { launchConfig } from "./launchConfig.ts";
import type { TrainingRequest } from "./trainings.ts";

const NO_KEYS = { keys: {}, allowedOrigins: [], envFile: null };

/** Null if the user dismissed a prompt. @throws like {@link launchConfig} */
export async function createLaunchRequest(
  keys: Pick<Keys, "forLaunch" | "variables">,
  request: TrainingRequest,
  scope: Pick<LaunchConfig, "only"> = {},
): Promise<LaunchRequest | null> {
  const { configPath, resume, settingOverrides, overrides, sweep, instead } = request;
  const config = await launchConfig(request);
  const allowed = config === null ? NO_KEYS : await keys.forLaunch({ ...config, ...scope });
  if (allowed === null) return null;
  return {
    version: CONTROL_VERSION,
    training: {
      configPath,
      resume,
      overrides: [...settingOverrides, ...overrides],
      digest: config?.digest ?? null,
      sweep,
      instead,
    },
    ...allowed,
    variables: serviceVariables(keys.variables()),
    onQuit: onQuit(config),
  };
}

/**
 * Sends a request about one environment, and repeats it after a missing key has been set or allowed. Null if the user dismissed a prompt or
 * `send` returns null.
 * @throws like {@link createLaunchRequest}
 */
export async function askWithKeys<Value>(
  keys: Pick<Keys, "forLaunch" | "recoverFromLaunchError" | "variables">,
  request: TrainingRequest,
  environment: string,
  send: (launch: LaunchRequest) => Promise<RequestOutcome<Value> | null>,
): Promise<RequestOutcome<Value> | null> {
  for (;;) {
    const only = { environment, isSampled: false };
    const launch = await createLaunchRequest(keys, request, { only });
    const outcome = launch === null ? null : await send(launch);
    if (outcome === null || outcome.ok) return outcome;
    if (!(await recover(keys, outcome.error, request))) return outcome;
  }
}

/** After a rejected request: {@link Keys.recoverFromLaunchError} for its project. */
export async function recover(
  keys: Pick<Keys, "recoverFromLaunchError">,
  error: LaunchError,
  request: TrainingRequest,
): Promise<boolean> {
  const config = await launchConfig(request);
  return config !== null && (await keys.recoverFromLaunchError(error, config.project));
}

/** A request that only reads a configuration, without a run; includes the editor's own overrides. */
export function requestFor(configPath: string): TrainingRequest {
  const config = vscode.Uri.file(configPath);
  return {
    configPath,
    title: "",
    resume: null,
    overrides: [],
    settingOverrides: settingOverrides(config),
    project: vscode.workspace.getWorkspaceFolder(config)?.uri.fsPath ?? null,
  };
}

function onQuit(config: LaunchConfig | null): LaunchRequest["onQuit"] {
  const setting = readSetting("run.onQuit");
  if (setting !== "auto") return setting === "keepRunning" ? "keep running" : "stop and save";
  const parsed = config?.parsed;
  const isLocal = parsed?.ok === true && isLocalModel(parsed.config.model_name);
  return isLocal ? "stop and save" : "keep running";
}
