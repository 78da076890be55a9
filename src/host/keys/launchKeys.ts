/** Which keys a run gets, which are missing, and which need the user's permission to be sent to their destination. */

import {
  environmentNames,
  environmentServer,
  environmentsOn,
  headerVariable,
  THIS_COMPUTER,
} from "../../core/config/fields/environmentServers.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import type { ParseResult } from "../../core/config/parse.ts";
import { withOnlyEnvironment } from "../../core/config/taskChoices.ts";
import { isSafeAddress } from "../../core/secrets/hostBinding.ts";
import { OWN_KEYS } from "../../core/secrets/keySource.ts";
import type { Values } from "../../core/secrets/serviceHosts.ts";
import {
  ENVIRONMENT_ADDRESS_VARIABLES,
  OPENREWARD_SESSIONS_URL,
  TINKER_URL,
} from "../../core/services.ts";
import type { LaunchRequest, RequestedKey } from "../../shared/control.ts";
import type { KeyApproval } from "./approvals.ts";
import { type KeyId, keyIdOf, variableOf } from "./keyNames.ts";
import type { KeySources } from "./keySources.ts";

/** The configuration of the run to start. */
export interface LaunchConfig {
  /** With the overrides. */
  readonly parsed: ParseResult;
  /** Absolute path of its file. */
  readonly path: string;
  /** Real path of the folder for which the run is started; the user's permissions apply only there. */
  readonly project: string;
  /** Limits the keys when nothing is trained. */
  readonly only?: LaunchScope;
}

export interface LaunchScope {
  /** The only environment used; null = none. */
  readonly environment: string | null;
  /** True if the model is sampled; false if only its tokenizer is needed. */
  readonly isSampled: boolean;
}

/** Why a run needs a key. */
export type KeyReason =
  | { readonly kind: "model"; readonly model: string }
  | { readonly kind: "environments"; readonly names: readonly string[] }
  /** `configPath` is the configuration key that requests the lookup. */
  | { readonly kind: "secret"; readonly configPath: string };

export interface MissingKey {
  readonly id: KeyId;
  readonly reason: KeyReason;
}

export interface LaunchKeys {
  /** False for a run that contacts no service. */
  readonly needsKeys: boolean;
  readonly keys: LaunchRequest["keys"];
  /** Not set anywhere; the run would fail without them. */
  readonly missing: readonly MissingKey[];
  /** Secrets that would be sent to environments; each needs the user's permission once. */
  readonly toApprove: readonly KeyApproval[];
}

interface Need {
  readonly id: KeyId;
  /** Null = optional. */
  readonly reason: KeyReason | null;
  /** Where a secret is sent; absent if it goes to its own service. */
  readonly origin?: string | undefined;
}

const NOTHING: LaunchKeys = { needsKeys: false, keys: {}, missing: [], toApprove: [] };

/**
 * Values from the secret store and the process environment, each bound to its host. A trainer itself reads those in `.env`, here `inFile`.
 * An invalid configuration needs nothing, because the trainer reports what is wrong.
 */
export async function launchKeys(
  { parsed, project: folder, only }: LaunchConfig,
  sources: KeySources,
  inFile: Values,
): Promise<LaunchKeys> {
  if (!parsed.ok) return NOTHING;
  const { config, needs: ofModel } = scopeOf(parsed.config, only);
  const ofServers = [...environmentNeeds(config, inFile, sources), ...serverNeeds(config)];
  const ofOthers = [...agentNeeds(config), ...secretNeeds(config), ...notifyNeeds(config)];
  const needs = [...ofModel, ...ofServers, ...ofOthers];
  const keys: Record<string, RequestedKey> = {};
  const missing = new Map<KeyId, MissingKey>();
  const toApprove = new Map<string, KeyApproval>();
  for (const { id, reason, origin } of needs) {
    const name = variableOf(id);
    const found = await sources.valueFor(id);
    if (found !== null) keys[name] = found;
    else if (!sources.isIn(inFile, id)) {
      if (reason !== null && !missing.has(id)) missing.set(id, { id, reason });
      continue;
    }
    // A key in `.env` belongs to the project and may go to the hosted service, except in a conversation, where the run folder decides what
    // is used.
    const isChosenByRun = only?.isSampled === true;
    const isFree = found === null && origin === OPENREWARD_SESSIONS_URL && !isChosenByRun;
    // Nothing is sent to an unsafe address, so no approval is needed.
    if (origin === undefined || isFree || !isSafeAddress(origin)) continue;
    toApprove.set(`${name} ${origin}`, { folder, origin, key: name });
  }
  return {
    needsKeys: needs.length > 0,
    keys,
    missing: [...missing.values()],
    toApprove: [...toApprove.values()],
  };
}

/** A prompt preview or conversation needs no keys that only other environments or training use. */
function scopeOf(config: Config, only: LaunchScope | undefined) {
  if (only === undefined) return { config, needs: [...modelNeeds(config), ...reportNeeds(config)] };
  const scoped = withOnlyEnvironment(config, only.environment);
  return { config: scoped, needs: only.isSampled ? modelNeeds(scoped) : tokenizerNeeds(scoped) };
}

function modelNeeds(config: Config): readonly Need[] {
  const { model_name: model, tinker_headers } = config;
  const service: Need = { id: "tinker", reason: { kind: "model", model } };
  const origin = originOf(config.tinker_base_url ?? TINKER_URL);
  const headers = lookedUp(tinker_headers, "tinker_headers", { variable: headerVariable, origin });
  return isLocalModel(model) ? [] : [service, ...headers, ...tokenizerNeeds(config)];
}

/** Gated tokenizers require a token to download. */
function tokenizerNeeds({ model_name }: Config): readonly Need[] {
  return isLocalModel(model_name) ? [] : [{ id: "env:HF_TOKEN", reason: null }];
}

/** OpenReward requires a key; other servers may use their own. */
function environmentNeeds(config: Config, inFile: Values, sources: KeySources): readonly Need[] {
  const names = environmentsOn(config, "shared");
  if (names.length === 0) return [];
  const own: Need = { id: "env:ORS_API_KEY", reason: null };
  const openReward: Need = { id: "openreward", reason: { kind: "environments", names } };
  if (config.openreward_base_url !== null) {
    return [isOpenReward(config.openreward_base_url) ? openReward : own];
  }
  const isElsewhere = ENVIRONMENT_ADDRESS_VARIABLES.some(
    (name) => sources.variable(name, inFile) !== null,
  );
  // The trainer reports which of the two is missing.
  return isElsewhere ? [own, { ...openReward, reason: null }] : [openReward];
}

/** Like environments get them: their own map overrides the global one. Excludes the program's own keys, which a lookup never passes on. */
function secretNeeds(config: Config): readonly Need[] {
  return environmentNames(config).flatMap((name) => {
    const origin = environmentOrigin(config, name);
    const own = config.environments[name]?.secrets ?? {};
    const shared = Object.entries(config.secrets ?? {}).filter(([key]) => !Object.hasOwn(own, key));
    return [
      ...lookedUp(Object.fromEntries(shared), "secrets", { origin }),
      ...lookedUp(own, `environments.${name}.secrets`, { origin }),
    ].filter(({ id }) => !OWN_KEYS.has(variableOf(id)));
  });
}

/** Headers and variables of environments' own servers. */
function serverNeeds(config: Config): readonly Need[] {
  return environmentNames(config).flatMap((name) => {
    const { headers, env } = config.environments[name]?.server ?? {};
    const [at, origin] = [`environments.${name}.server`, environmentOrigin(config, name)];
    return [
      ...lookedUp(headers, `${at}.headers`, { variable: headerVariable, origin }),
      ...lookedUp(env, `${at}.env`, { origin }),
    ];
  });
}

/** Variables of agents' programs. */
function agentNeeds(config: Config): readonly Need[] {
  const origin = THIS_COMPUTER;
  return environmentNames(config).flatMap((name) =>
    lookedUp(config.environments[name]?.agent?.env, `environments.${name}.agent.env`, { origin }),
  );
}

/** Entries to look up in the configuration's map at `at`. */
function lookedUp(
  map: Readonly<Record<string, unknown>> | null | undefined,
  at: string,
  {
    variable = (key) => key,
    origin,
  }: Pick<Need, "origin"> & { readonly variable?: (key: string) => string },
): readonly Need[] {
  return Object.entries(map ?? {}).flatMap(([key, value]): readonly Need[] => {
    const id = value === null ? keyIdOf(variable(key)) : null;
    const reason = { kind: "secret", configPath: `${at}.${key}` } as const;
    return id === null ? [] : [{ id, reason, origin }];
  });
}

/** Webhook addresses, which are only sent to themselves. */
function notifyNeeds({ notify }: Config): readonly Need[] {
  return notify.flatMap(({ webhook_variable: name }, index): readonly Need[] => {
    const id = name === null ? null : keyIdOf(name);
    const configPath = `notify.${index}.webhook_variable`;
    return id === null ? [] : [{ id, reason: { kind: "secret", configPath } }];
  });
}

function reportNeeds(config: Config): readonly Need[] {
  const { wandb, openreward_upload, openreward_upload_evaluations } = config;
  const isUploaded = openreward_upload || openreward_upload_evaluations;
  return [
    ...(wandb === "online" ? [{ id: "wandb", reason: null } as const] : []),
    ...(isUploaded ? [{ id: "openreward", reason: null } as const] : []),
  ];
}

/** Where an environment's secrets are sent; undefined = they stay in this program. */
function environmentOrigin(config: Config, name: string): string | undefined {
  const server = environmentServer(config, name);
  switch (server.kind) {
    case "embedded":
      return undefined;
    case "command":
      return THIS_COMPUTER;
    case "address":
      return originOf(server.url);
    case "shared":
      return originOf(config.openreward_base_url ?? OPENREWARD_SESSIONS_URL);
  }
}

function originOf(url: string): string {
  return new URL(URL.canParse(url) ? url : OPENREWARD_SESSIONS_URL).origin;
}

function isOpenReward(url: string): boolean {
  return URL.canParse(url) && new URL(url).origin === OPENREWARD_SESSIONS_URL;
}
