/** Which address a hosted service is reached at, and which keys may go there. */

import type { Config } from "../../core/config/fields/schema.ts";
import {
  type AllowedOrigin,
  type NamedValue,
  requireAllowedRoute,
} from "../../core/secrets/hostBinding.ts";
import type { FoundValue, KeySource } from "../../core/secrets/keySource.ts";
import { findAddress, OPENREWARD_SESSIONS_URL, SERVICES, TINKER_URL } from "../../core/services.ts";
import type { Variables } from "./variables.ts";

export interface ServiceAddressOptions {
  readonly config: Config;
  readonly variables: Variables;
  /** Where keys may go by the user's word, see {@link requireAllowedRoute}. */
  readonly allowedOrigins: readonly AllowedOrigin[];
}

export interface ServiceAddress {
  readonly url: string;
  readonly keyName: string;
  /** Null when it is not set anywhere. */
  readonly key: string | null;
  /** The key without its value. */
  readonly keySource: KeySource;
}

/** @throws AppError `key-host-not-allowed`, `key-not-encrypted`, `config-address-invalid` */
export function tinkerAddress({
  config,
  variables,
  allowedOrigins,
}: Omit<ServiceAddressOptions, "config"> & {
  readonly config: Pick<Config, "tinker_base_url">;
}): ServiceAddress {
  const keyName = SERVICES.tinker.variable;
  const keys = present([named(variables, keyName)]);
  const address = config.tinker_base_url === null ? findAddress("tinker", variables) : null;
  const url = config.tinker_base_url ?? address?.value ?? TINKER_URL;
  requireAllowedRoute({ keys, url, address, officialUrl: TINKER_URL, allowedOrigins });
  const [key] = keys;
  return { url, keyName, ...keyParts(keyName, key) };
}

export interface EnvironmentAddress extends ServiceAddress {
  /** True for the hosted service, which takes no one without a key. */
  readonly isOpenReward: boolean;
  /** Where the catalogue of environments is read, without any key; null = derived from the address. */
  readonly apiUrl: string | null;
  /** Configuration key or variable that holds the address; null = the hosted service by default. */
  readonly source: string | null;
}

/**
 * Where hosted environments are reached: `docs/protocols/openreward.md#addresses`. OpenReward's key is for the hosted service only.
 * @throws AppError `key-host-not-allowed`, `key-not-encrypted`, `config-address-invalid`
 */
export function environmentAddress(options: ServiceAddressOptions): EnvironmentAddress {
  const { config, variables, allowedOrigins } = options;
  const address = config.openreward_base_url === null ? findAddress("openreward", variables) : null;
  const url = config.openreward_base_url ?? address?.value ?? OPENREWARD_SESSIONS_URL;
  const isOpenReward = URL.canParse(url) && new URL(url).origin === OPENREWARD_SESSIONS_URL;
  const keyName = isOpenReward ? SERVICES.openreward.variable : "ORS_API_KEY";
  const lookedUp = present(
    [keyName, ...lookedUpSecrets(config)].map((name) => named(variables, name)),
  );
  const keys = [...lookedUp, ...secretsInFile(config)];
  const officialUrl = OPENREWARD_SESSIONS_URL;
  requireAllowedRoute({ keys, url, address, officialUrl, allowedOrigins });
  const apiUrl = variables("OPENREWARD_API_URL")?.value ?? null;
  const source = config.openreward_base_url === null ? address?.name : "openreward_base_url";
  return {
    url,
    isOpenReward,
    apiUrl,
    keyName,
    ...keyParts(keyName, variables(keyName)),
    source: source ?? null,
  };
}

function keyParts(name: string, found: FoundValue | null | undefined) {
  return { key: found?.value ?? null, keySource: { name, origin: found?.origin ?? null } };
}

/** Names of the secrets that environments would get by look-up. */
function lookedUpSecrets(config: Config): readonly string[] {
  return hostedSecrets(config).flatMap(([key, value]) =>
    value === null ? [key.toUpperCase()] : [],
  );
}

/** Secrets in the file are bound to no host, because the author of the file also chose the address; they never go unencrypted. */
function secretsInFile(config: Config): readonly NamedValue[] {
  return hostedSecrets(config).flatMap(([name, value]): readonly NamedValue[] =>
    value === null || value === "" ? [] : [{ name, value, origin: "dotenv" }],
  );
}

function hostedSecrets({ secrets, environments }: Config) {
  const hosted = Object.entries(environments).filter(([name]) => !name.startsWith("local/"));
  const maps = [secrets, ...hosted.map(([, own]) => own.secrets)];
  return maps.flatMap((map) => Object.entries(map ?? {}));
}

/** The variable with its name; null when it is not set. */
export function named(variables: Variables, name: string): NamedValue | null {
  const found = variables(name);
  return found === null ? null : { ...found, name };
}

function present(values: readonly (NamedValue | null)[]): readonly NamedValue[] {
  return values.filter((value) => value !== null);
}
