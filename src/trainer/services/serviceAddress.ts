/** Addresses of hosted services, and which keys may be sent there. */

import {
  type AddressServer,
  type CommandServer,
  environmentsOn,
  headerVariable,
} from "../../core/config/fields/environmentServers.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import { AppError } from "../../core/errors.ts";
import {
  type AllowedOrigin,
  type NamedValue,
  requireAllowedRoute,
} from "../../core/secrets/hostBinding.ts";
import { headerFault, requireKeyForm } from "../../core/secrets/keyForm.ts";
import type { KeySource } from "../../core/secrets/keySource.ts";
import { findAddress, OPENREWARD_SESSIONS_URL, SERVICES, TINKER_URL } from "../../core/services.ts";
import type { Variables } from "./variables.ts";

export interface ServiceAddressOptions {
  readonly config: Config;
  readonly variables: Variables;
  /** Origins to which the user allows keys to be sent, see {@link requireAllowedRoute}. */
  readonly allowedOrigins: readonly AllowedOrigin[];
}

export interface ServiceAddress {
  readonly url: string;
  readonly keyName: string;
  /** Null if it is not set anywhere. */
  readonly key: string | null;
  /** The key's name and origin, without its value. */
  readonly keySource: KeySource;
}

export interface TinkerServiceAddress extends ServiceAddress {
  /** Configuration key or variable with the address; null = the hosted service by default. */
  readonly source: string | null;
  /** Values of `tinker_headers` as sent. */
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws AppError `key-missing` for a header, `key-invalid`, `key-host-not-allowed`, `key-not-encrypted`, `config-address-invalid` */
export function tinkerAddress({
  config,
  variables,
  allowedOrigins,
}: Omit<ServiceAddressOptions, "config"> & {
  readonly config: Pick<Config, "tinker_base_url"> & Partial<Pick<Config, "tinker_headers">>;
}): TinkerServiceAddress {
  const keyName = SERVICES.tinker.variable;
  const headers = headerValues(config.tinker_headers ?? null, variables, "tinker_headers");
  const keys = present([named(variables, keyName), ...headers]);
  const address = config.tinker_base_url === null ? findAddress("tinker", variables) : null;
  const url = config.tinker_base_url ?? address?.value ?? TINKER_URL;
  requireAllowedRoute({ keys, url, address, officialUrl: TINKER_URL, allowedOrigins });
  const source = config.tinker_base_url === null ? (address?.name ?? null) : "tinker_base_url";
  return { url, source, keyName, ...keyParts(variables, keyName), headers: asRecord(headers) };
}

export interface EnvironmentAddress extends ServiceAddress {
  /** True for the hosted service, which requires a key. */
  readonly isOpenReward: boolean;
  /** Address of the environment catalogue, read without a key; null = derived from the address. */
  readonly apiUrl: string | null;
  /** Configuration key or variable with the address; null = the hosted service by default. */
  readonly source: string | null;
}

/**
 * Address of hosted environments: `docs/protocols/openreward.md#addresses`. OpenReward's key is for the hosted service only.
 * @throws AppError `key-invalid`, `key-host-not-allowed`, `key-not-encrypted`, `config-address-invalid`
 */
export function environmentAddress(options: ServiceAddressOptions): EnvironmentAddress {
  const { config, variables, allowedOrigins } = options;
  const address = config.openreward_base_url === null ? findAddress("openreward", variables) : null;
  const url = config.openreward_base_url ?? address?.value ?? OPENREWARD_SESSIONS_URL;
  const isOpenReward = URL.canParse(url) && new URL(url).origin === OPENREWARD_SESSIONS_URL;
  const keyName = isOpenReward ? SERVICES.openreward.variable : "ORS_API_KEY";
  const secrets = secretsOf(config, environmentsOn(config, "shared"));
  const keys = present([named(variables, keyName), ...secretValues(secrets, variables)]);
  const officialUrl = OPENREWARD_SESSIONS_URL;
  requireAllowedRoute({ keys, url, address, officialUrl, allowedOrigins });
  const apiUrl = variables("OPENREWARD_API_URL")?.value ?? null;
  const source = config.openreward_base_url === null ? address?.name : "openreward_base_url";
  return {
    url,
    isOpenReward,
    apiUrl,
    keyName,
    ...keyParts(variables, keyName),
    source: source ?? null,
  };
}

/** @throws AppError `key-invalid` */
function keyParts(variables: Variables, name: string) {
  const found = named(variables, name);
  if (found !== null) requireKeyForm(found);
  return { key: found?.value ?? null, keySource: { name, origin: found?.origin ?? null } };
}

export interface OwnAddress {
  readonly url: string;
  /** Headers as sent; the configuration names each of them. */
  readonly headers: Readonly<Record<string, string>>;
  /** OpenReward's key if the address is OpenReward's; other servers only get their headers. */
  readonly key: string | null;
}

/**
 * The address of an environment's own server. Keys, headers, and secrets are bound to it.
 * @throws AppError `key-missing`, `key-invalid`, `key-host-not-allowed`, `key-not-encrypted`
 */
export function ownAddress(
  options: ServiceAddressOptions,
  environment: string,
  { url, headers }: Pick<AddressServer, "url" | "headers">,
): OwnAddress {
  const { config, variables, allowedOrigins } = options;
  const isOpenReward = new URL(url).origin === OPENREWARD_SESSIONS_URL;
  const key = isOpenReward ? named(variables, SERVICES.openreward.variable) : null;
  if (key !== null) requireKeyForm(key);
  const place = `environments.${environment}.server`;
  const found = headerValues(headers, variables, `${place}.headers`);
  const secrets = secretsOf(config, [environment]);
  requireAllowedRoute({
    keys: present([key, ...found, ...secretValues(secrets, variables)]),
    url,
    address: null,
    officialUrl: OPENREWARD_SESSIONS_URL,
    allowedOrigins,
  });
  return { url, headers: asRecord(found), key: key?.value ?? null };
}

interface NamedHeader extends NamedValue {
  readonly header: string;
}

function asRecord(headers: readonly NamedHeader[]): Readonly<Record<string, string>> {
  return Object.fromEntries(headers.map(({ header, value }) => [header.toLowerCase(), value]));
}

function headerValues(
  headers: Config["tinker_headers"],
  variables: Variables,
  place: string,
): readonly NamedHeader[] {
  return Object.entries(headers ?? {}).map(([header, written]) => {
    if (written !== null) return { header, name: header, value: written, origin: "dotenv" };
    const found = required(variables, headerVariable(header), `${place}.${header}`);
    requireKeyForm(found, headerFault);
    return { header, ...found };
  });
}

/** Headers for the server of a command; they stay on this computer. @throws AppError `key-missing`, `key-invalid` */
export function serverHeaders(
  { variables }: Pick<ServiceAddressOptions, "variables">,
  environment: string,
  { headers }: Pick<CommandServer, "headers">,
): Readonly<Record<string, string>> {
  return asRecord(headerValues(headers, variables, `environments.${environment}.server.headers`));
}

/** The command's environment variables. @throws AppError `key-missing` */
export function commandVariables(
  { env }: Pick<CommandServer, "env">,
  variables: Variables,
  configPath: string,
): readonly NamedValue[] {
  return Object.entries(env ?? {}).map(([name, written]) =>
    written === null
      ? required(variables, name, `${configPath}.${name}`)
      : { name, value: written, origin: "dotenv" },
  );
}

/** @throws AppError `key-missing` */
function required(variables: Variables, name: string, configPath: string): NamedValue {
  const found = named(variables, name);
  if (found !== null) return found;
  throw new AppError(
    "key-missing",
    `${configPath} is looked up as ${name}, which is not set. Set it in the environment or in .env next to the configuration.`,
    { configPath, data: { name } },
  );
}

/**
 * Values for environments, looked up or written in the file. Those in the file are not bound to a host, because the file's author also
 * chose the address; they are never sent unencrypted.
 */
function secretValues(
  secrets: readonly (readonly [key: string, value: string | null])[],
  variables: Variables,
): readonly (NamedValue | null)[] {
  return secrets.map(([key, value]) => {
    if (value === null) return named(variables, key.toUpperCase());
    return value === "" ? null : { name: key, value, origin: "dotenv" };
  });
}

function secretsOf({ secrets, environments }: Config, names: readonly string[]) {
  const maps = [secrets, ...names.map((name) => environments[name]?.secrets)];
  return maps.flatMap((map) => Object.entries(map ?? {}));
}

/** The variable together with its name; null if it is not set. */
export function named(variables: Variables, name: string): NamedValue | null {
  const found = variables(name);
  return found === null ? null : { ...found, name };
}

function present(values: readonly (NamedValue | null)[]): readonly NamedValue[] {
  return values.filter((value) => value !== null);
}
