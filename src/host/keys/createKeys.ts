/** Assembles everything about keys, for the extension's composition root. */

import * as vscode from "vscode";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import type { Values } from "../../core/secrets/serviceHosts.ts";
import { realFolder } from "../../node/realFolder.ts";
import type { LaunchError } from "../../shared/control.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { readSetting } from "../vscode/settings.ts";
import { createApprovals } from "./approvals.ts";
import { readEnv } from "./envFile.ts";
import { createEnvPermission } from "./envPermission.ts";
import { gatherKeys, recoverFromLaunchError } from "./gatherKeys.ts";
import { type ImportOptions, importEnv } from "./importEnv.ts";
import { isKeyId, type KeyId, keyIdOf } from "./keyNames.ts";
import { keySources } from "./keySources.ts";
import { type KeyStatusOptions, keyStatus } from "./keyStatus.ts";
import { KeyStore } from "./keyStore.ts";
import type { KeyTestOptions } from "./keyTest.ts";
import { keyUi } from "./keyUi.ts";
import type { LaunchConfig } from "./launchKeys.ts";
import { removeKey } from "./removeKey.ts";
import { setKey } from "./setKey.ts";
import { workspaceEnvFiles } from "./workspaceEnvFiles.ts";

export interface KeysOptions {
  readonly context: Pick<vscode.ExtensionContext, "secrets" | "globalState">;
  /** Redacted with `redactor`. */
  readonly log: vscode.LogOutputChannel;
  /** Learns every stored value before it is used. */
  readonly redactor: Redactor;
  readonly testKey: KeyTestOptions["testKey"];
}

export type Keys = ReturnType<typeof createKeys>;

export function createKeys({ context, log, redactor, testKey }: KeysOptions) {
  const warn = (message: string): void => log.warn(message);
  const store = new KeyStore({ secrets: context.secrets, redactor, now: Date.now, warn });
  void store.learnAll();
  const memory = context.globalState;
  const approvals = createApprovals({ memory, ui: keyUi });
  const envPermission = createEnvPermission({ memory, ui: keyUi });
  const envValues = async (folder: string): Promise<Readonly<Record<string, string>>> => {
    const file = vscode.workspace.isTrusted ? await workspaceEnvFiles.inFolder(folder) : null;
    const project = await realFolder(folder);
    const mayRead = file !== null && envPermission.answer({ folder: project, file }) === "yes";
    const text = mayRead ? await workspaceEnvFiles.read(file) : null;
    return text === null ? {} : readEnv(text);
  };
  const environment = () => ({ ...process.env, ...addressVariables() });
  const sources = keySources({ store, environment, envValues });
  const flow = {
    store,
    ui: keyUi,
    files: workspaceEnvFiles,
    sources,
    approvals,
    envPermission,
    variables: addressVariables,
    testKey,
    now: Date.now,
    folders: async () => [
      ...new Set([
        ...(vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
        ...envPermission.answered().map(({ folder }) => folder),
      ]),
    ],
  };

  return {
    store,
    /** Looks up values. */
    sources,
    approvals,
    /** Service addresses: those in the settings override those of the process. */
    variables: () => present(environment()),
    /**
     * Collects the keys for a run: asks for missing keys, for permission to pass secrets to environments, and whether `.env` may be read.
     * Null if the user dismissed a prompt; the run must not start then.
     */
    forLaunch: (config: LaunchConfig) => gatherKeys(config, flow),
    /**
     * Handles a trainer's refusal to start because of a missing key or permission; true = start again. `project` is that of its {@link
     * LaunchConfig}.
     */
    recoverFromLaunchError: (error: LaunchError, project: string) =>
      recoverFromLaunchError(error, project, flow),
    handlers: keyHandlers(flow),
    dispose: () => store.dispose(),
  };
}

const ADDRESSES = [
  ["tinker.baseUrl", "TINKER_BASE_URL"],
  ["openReward.baseUrl", "OPENREWARD_BASE_URL"],
  ["openReward.environmentsUrl", "OPENREWARD_ENVIRONMENTS_URL"],
] as const;

/** Service addresses from machine settings, as the variables that a trainer reads. */
function addressVariables(): Values {
  const values = ADDRESSES.map(([key, name]) => [name, readSetting(key)] as const);
  return Object.fromEntries(values.filter(([, url]) => url !== ""));
}

function present(values: Readonly<Record<string, string | undefined>>): Values {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(set) as Values; // the filter leaves texts only
}

/** `setApiKey` and `removeApiKey` take a key id or variable name; `importEnv` takes a configuration's URI. */
function keyHandlers(options: KeyStatusOptions & ImportOptions) {
  return {
    setApiKey: (target) => setKey(options, idIn(target)),
    setOpenRewardKey: () => setKey(options, "openreward"),
    removeApiKey: (target) => removeKey(options, idIn(target)),
    importEnv: (target) => importEnv(options, target),
    keyStatus: () => keyStatus(options),
  } satisfies Partial<CommandHandlers>;
}

function idIn(target: unknown): KeyId | undefined {
  if (typeof target !== "string") return undefined;
  return isKeyId(target) ? target : (keyIdOf(target) ?? undefined);
}
