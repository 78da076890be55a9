/** Which keys a run is given, which ones it lacks, and which of them need the user's leave to go where they would go. */

import { dirname } from "node:path";
import { parseConfig } from "../../core/config/parse.ts";
import { isLocalModel } from "../../core/config/presets.ts";
import type { Config } from "../../core/config/schema.ts";
import { OPENREWARD_SESSIONS_URL } from "../../core/openreward/environments.ts";
import type { LaunchOrder } from "../../shared/control.ts";
import type { KeyApproval } from "./approvals.ts";
import { isServiceId, type KeyId, keyIdOf, variableOf } from "./keyNames.ts";
import type { KeySources } from "./keySources.ts";
import { ENVIRONMENT_ADDRESS_VARIABLES } from "./services.ts";

/** The configuration that a run will be started with. */
export interface LaunchConfig {
  readonly text: string;
  /** Absolute path of its file. */
  readonly path: string;
  /** `key=value` each. */
  readonly overrides: readonly string[];
}

/** Why a run needs a key. */
export type KeyReason =
  | { readonly kind: "model"; readonly model: string }
  | { readonly kind: "environments"; readonly names: readonly string[] }
  /** `configPath` is where the configuration asks for the look-up. */
  | { readonly kind: "secret"; readonly configPath: string };

export interface MissingKey {
  readonly id: KeyId;
  /** The variable that would be looked up. */
  readonly name: string;
  readonly reason: KeyReason;
}

export interface LaunchKeys {
  /** False for a run that reaches no service. */
  readonly needsKeys: boolean;
  readonly keys: LaunchOrder["keys"];
  /** Set nowhere; the run would fail without. */
  readonly missing: readonly MissingKey[];
  /** Secrets that would go to environments; each needs the user's leave once. */
  readonly toApprove: readonly KeyApproval[];
}

interface Need {
  readonly id: KeyId;
  /** Null = the run works without. */
  readonly reason: KeyReason | null;
  /** True for a secret that is handed on to environments at a server. */
  readonly leaves?: boolean;
}

const NOTHING: LaunchKeys = { needsKeys: false, keys: {}, missing: [], toApprove: [] };

/**
 * Values from the secret store and from the process environment, each bound to its host; a trainer finds those of `.env` itself.
 * A configuration that is not valid needs nothing: the trainer says what is wrong with it.
 */
export async function launchKeys(
  { text, path, overrides }: LaunchConfig,
  sources: KeySources,
): Promise<LaunchKeys> {
  const parsed = parseConfig(text, { path, overrides });
  if (!parsed.ok) return NOTHING;
  const { config } = parsed;
  const folder = dirname(path);
  const needs = [
    ...modelNeeds(config),
    ...(await environmentNeeds(config, folder, sources)),
    ...secretNeeds(config),
    ...reportNeeds(config),
  ];
  const keys: Record<string, { readonly value: string; readonly host: string | null }> = {};
  const missing = new Map<KeyId, MissingKey>();
  const toApprove = new Map<KeyId, KeyApproval>();
  for (const { id, reason, leaves } of needs) {
    const name = variableOf(id);
    const found = await sources.valueFor(id);
    if (found !== null) {
      keys[name] = found;
      if (leaves === true) toApprove.set(id, { folder, host: environmentHost(config), key: name });
    } else if (reason !== null && (await sources.find(id, [folder])) === null) {
      if (!missing.has(id)) missing.set(id, { id, name, reason });
    }
  }
  return {
    needsKeys: needs.length > 0,
    keys,
    missing: [...missing.values()],
    toApprove: [...toApprove.values()],
  };
}

function modelNeeds({ model_name }: Config): readonly Need[] {
  if (isLocalModel(model_name)) return [];
  return [{ id: "tinker", reason: { kind: "model", model: model_name } }];
}

/** OpenReward takes nobody without a key; other servers may have one of their own. */
async function environmentNeeds(
  config: Config,
  folder: string,
  sources: KeySources,
): Promise<readonly Need[]> {
  const names = hostedEnvironments(config);
  if (names.length === 0) return [];
  const own: Need = { id: "env:ORS_API_KEY", reason: null };
  const openReward: Need = { id: "openreward", reason: { kind: "environments", names } };
  if (config.openreward_base_url !== null) {
    return [isOpenReward(config.openreward_base_url) ? openReward : own];
  }
  const elsewhere = await Promise.all(
    ENVIRONMENT_ADDRESS_VARIABLES.map((name) => sources.isSet(name, folder)),
  );
  // Which of the two it is, is the trainer's to say.
  return elsewhere.includes(true) ? [own, { ...openReward, reason: null }] : [openReward];
}

/** As environments get them: their own map beats the global one. Keys of services are left out: a look-up never hands them on. */
function secretNeeds(config: Config): readonly Need[] {
  return allEnvironments(config).flatMap((name) => {
    const own = config.environments[name]?.secrets ?? {};
    const wanted = Object.entries({ ...config.secrets, ...own });
    return wanted.flatMap(([key, value]): readonly Need[] => {
      const id = value === null ? keyIdOf(key) : null;
      if (id === null || isOwnService(id)) return [];
      const at = Object.hasOwn(own, key) ? `environments.${name}.secrets` : "secrets";
      const reason = { kind: "secret", configPath: `${at}.${key}` } as const;
      return [{ id, reason, leaves: isHosted(name) }];
    });
  });
}

/** Services that the program itself uses; the others exist to be handed to environments. */
function isOwnService(id: KeyId): boolean {
  return isServiceId(id) && id !== "openai" && id !== "anthropic";
}

function reportNeeds({ wandb, openreward_upload }: Config): readonly Need[] {
  return [
    ...(wandb === "online" ? [{ id: "wandb", reason: null } as const] : []),
    ...(openreward_upload ? [{ id: "openreward", reason: null } as const] : []),
  ];
}

function hostedEnvironments(config: Config): readonly string[] {
  return allEnvironments(config).filter(isHosted);
}

function allEnvironments({ environments, evaluation }: Config): readonly string[] {
  return [...new Set([...Object.keys(environments), ...Object.keys(evaluation?.splits ?? {})])];
}

function isHosted(environment: string): boolean {
  return !environment.startsWith("local/");
}

function environmentHost({ openreward_base_url }: Config): string {
  const url = openreward_base_url ?? OPENREWARD_SESSIONS_URL;
  return new URL(URL.canParse(url) ? url : OPENREWARD_SESSIONS_URL).host;
}

function isOpenReward(url: string): boolean {
  return URL.canParse(url) && new URL(url).origin === OPENREWARD_SESSIONS_URL;
}
