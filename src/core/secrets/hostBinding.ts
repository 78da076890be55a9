/** Keeps keys from being sent to an address that came with a project: a `.env` file could redirect a stored key to a stranger. */

import { AppError } from "../errors.ts";
import { isLoopbackHost } from "../util/loopback.ts";
import { type FoundValue, keyText } from "./keySource.ts";

export interface NamedValue extends FoundValue {
  readonly name: string;
}

/** An origin (`scheme://host:port`, without a default port) that the user allows keys to be sent to. */
export interface AllowedOrigin {
  readonly origin: string;
  /** The only key that is allowed; null = all. */
  readonly key: string | null;
}

export interface KeyRoute {
  /** The keys to send. */
  readonly keys: readonly NamedValue[];
  readonly url: string;
  /** The variable that the address comes from; null = the configuration or the official address. */
  readonly address: NamedValue | null;
  /** Official address of the service that the keys are for. */
  readonly officialUrl: string;
  readonly allowedOrigins: readonly AllowedOrigin[];
}

/**
 * Refuses to send a key unencrypted over a network, a bound key to any host but its own, and, to an address from `.env`, any key
 * from elsewhere, unless the user has allowed that origin.
 * @throws AppError `key-not-encrypted`, `key-host-not-allowed` with `data.key` and `data.host` (the origin),
 * `config-address-invalid`
 */
export function requireAllowedRoute(route: KeyRoute): void {
  const { keys, address, officialUrl, allowedOrigins } = route;
  // If the address itself is the key, such as a webhook's, it may contain a query.
  if (address !== null) requireAddress(address, keys.includes(address));
  const target = new URL(route.url);
  const official = new URL(officialUrl).host;
  for (const key of keys) {
    if (isAllowed(target, allowedOrigins, key.name)) continue;
    if (!isSafeAddress(route.url)) throw notEncrypted(key, target);
    const isLed = address?.origin === "dotenv" && key.origin !== "dotenv";
    if (key.host === undefined && !isLed) continue;
    if (target.host === (key.host?.toLowerCase() ?? official)) continue;
    throw isLed ? ledByFile(key, target, address.name) : elsewhere(key, target, official);
  }
}

/** True for an address that keys may be sent to: https, or this computer. @throws TypeError if it is not an address */
export function isSafeAddress(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
}

/** The origin of `HOST`, `HOST:PORT` or `http(s)://HOST:PORT`, with https as the default; null for anything else. */
export function originOf(text: string): string | null {
  const full = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(full)) return null;
  const { origin, href } = new URL(full);
  return href === `${origin}/` ? origin : null;
}

function isAllowed(
  { origin }: URL,
  allowedOrigins: readonly AllowedOrigin[],
  name: string,
): boolean {
  return allowedOrigins.some(
    (allowed) => allowed.origin === origin && (allowed.key ?? name) === name,
  );
}

function notEncrypted({ name }: NamedValue, { origin, host }: URL): AppError {
  return new AppError(
    "key-not-encrypted",
    `${name} would be sent to ${origin} unencrypted. Use an address that begins with https://, or, if you trust the network to ${host}, start the run in a terminal with --allow-host ${origin}.`,
    { data: { key: name } },
  );
}

function elsewhere(
  { name, host, origin: source }: NamedValue,
  { origin }: URL,
  official: string,
): AppError {
  const kept = `${keyText({ name, origin: source })} is for ${host ?? official}`;
  return new AppError(
    "key-host-not-allowed",
    `${kept}, but this run would send it to ${origin}. Approve ${origin} when asked, or correct the address.`,
    { data: { key: name, host: origin } },
  );
}

function ledByFile({ name }: NamedValue, { origin }: URL, variable: string): AppError {
  return new AppError(
    "key-host-not-allowed",
    `${variable} in .env points to ${origin}, but ${name} comes from elsewhere. A .env file that came with a project must not decide who gets a key. If you trust ${origin}, add --allow-host ${origin} in a terminal, or approve it in the editor; otherwise remove ${variable} from .env.`,
    { data: { variable, host: origin, key: name } },
  );
}

function requireAddress({ name, value }: NamedValue, mayHaveQuery: boolean): void {
  const url = URL.canParse(value) && /^https?:/i.test(value) ? new URL(value) : null;
  const query = url === null || mayHaveQuery ? "" : url.search + url.hash;
  if (url !== null && url.username + url.password + query === "") return;
  const fault =
    url === null
      ? "is not an address that begins with http:// or https://"
      : `contains ${query === "" ? "a user name or a password" : "a query"}, which is not supported`;
  throw new AppError("config-address-invalid", `${name} ${fault}. Correct it where it is set.`, {
    data: { variable: name },
  });
}
