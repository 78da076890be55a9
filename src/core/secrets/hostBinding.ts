/** Keeps keys from going to an address that came with a project: a `.env` can lead a stored key to a stranger. */

import { AppError } from "../errors.ts";

/** A value that was looked up, and where it was found. */
export interface FoundValue {
  readonly value: string;
  readonly origin: "store" | "process" | "dotenv";
  /** Of a key from the store: the host it was stored for; null = that of the official service. */
  readonly host?: string | null;
}

export interface NamedValue extends FoundValue {
  readonly name: string;
}

export interface KeyRoute {
  /** The variable that holds the address. */
  readonly address: NamedValue;
  /** What would be sent there. */
  readonly keys: readonly NamedValue[];
  /** Address of the service that the keys are for; it needs no leave. */
  readonly officialUrl: string;
  /** Hosts that the user allowed, with or without a port; `KEY@host` for one key only. */
  readonly allowedHosts: readonly string[];
}

/**
 * Refuses an address from `.env` when a key from elsewhere would go there and the user has not allowed its host.
 * @throws AppError `key-host-not-allowed`, `config-address-invalid`
 */
export function requireAllowedHost({ address, keys, officialUrl, allowedHosts }: KeyRoute): void {
  const url = parseUrl(address);
  if (address.origin !== "dotenv" || url.host === new URL(officialUrl).host) return;
  const key = keys.find(
    ({ name, origin }) => origin !== "dotenv" && !isAllowed(url, allowedHosts, name),
  );
  if (key === undefined) return;
  throw new AppError(
    "key-host-not-allowed",
    `${address.name} in .env leads to ${url.host}, but ${key.name} comes from elsewhere, and a .env file that came with a project must not decide who gets it. If ${url.host} may have it, add --allow-host ${url.host} in a terminal, or approve it in the editor; else remove ${address.name} from .env.`,
    { data: { variable: address.name, host: url.host, key: key.name } },
  );
}

export interface BoundRoute {
  /** What would be sent. */
  readonly keys: readonly NamedValue[];
  readonly url: string;
  /** Address of the service that the keys are for. */
  readonly officialUrl: string;
  /** Hosts that the user allowed, as in {@link KeyRoute}. */
  readonly allowedHosts: readonly string[];
}

/**
 * Refuses to send a key from the store to another host than the one it was stored for, or unencrypted over a network, however the
 * address came about.
 * @throws AppError `key-host-not-allowed`, with `data.key` and `data.host`
 */
export function requireBoundHost({ keys, url, officialUrl, allowedHosts }: BoundRoute): void {
  const target = new URL(url);
  const stranger = keys.find(({ name, origin, host }) => {
    if (origin !== "store" || isAllowed(target, allowedHosts, name)) return false;
    const own = host?.toLowerCase() ?? new URL(officialUrl).host;
    return target.host !== own || !isSafeAddress(url);
  });
  if (stranger === undefined) return;
  throw new AppError(
    "key-host-not-allowed",
    `${stranger.name} is kept for ${stranger.host ?? new URL(officialUrl).host}, but this run would send it to ${target.protocol}//${target.host}. Approve ${target.host} when you are asked, or correct the address.`,
    { data: { key: stranger.name, host: target.host } },
  );
}

/** True for an address that a key may be sent to: encrypted, or this machine. @throws TypeError when it is no address */
export function isSafeAddress(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return protocol === "https:" || (protocol === "http:" && isLoopback);
}

function isAllowed(url: URL, allowedHosts: readonly string[], key: string): boolean {
  const allowed = allowedHosts.map((host) => host.toLowerCase());
  const forKey = `${key}@${url.host}`.toLowerCase();
  return [url.host, url.hostname, forKey].some((host) => allowed.includes(host));
}

function parseUrl({ name, value }: NamedValue): URL {
  const url = URL.canParse(value) && /^https?:/i.test(value) ? new URL(value) : null;
  if (url !== null && url.username + url.password === "") return url;
  const fault =
    url === null
      ? "is not an address that begins with http:// or https://"
      : "holds a user name or a password, which is sent nowhere";
  throw new AppError("config-address-invalid", `${name} ${fault}. Correct it where it is set.`, {
    data: { variable: name },
  });
}
