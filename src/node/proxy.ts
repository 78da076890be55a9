/** Proxy settings from the environment, interpreted as other programs do. */

import { AppError } from "../core/errors.ts";

/** As in curl and undici, the lowercase name takes precedence. */
const HTTP_PROXY = ["http_proxy", "HTTP_PROXY"] as const;
const HTTPS_PROXY = ["https_proxy", "HTTPS_PROXY"] as const;

export interface ProxySettings {
  /** Proxy for `http://` URLs; null = none. */
  readonly httpProxy: string | null;
  /** Proxy for `https://` URLs; null = none. */
  readonly httpsProxy: string | null;
}

/**
 * The proxies in `variables`; an address without a scheme, such as `127.0.0.1:7890`, means `http://`.
 * @throws AppError `config-address-invalid` that names the variable but not its value, which may contain a password
 */
export function proxySettings(variables: NodeJS.Dict<string>): ProxySettings {
  const httpProxy = proxyOf(variables, HTTP_PROXY);
  // Like undici, use HTTP_PROXY for https:// URLs if there is no HTTPS proxy.
  return { httpProxy, httpsProxy: proxyOf(variables, HTTPS_PROXY) ?? httpProxy };
}

/** The `Proxy-Authorization` header for the proxy at `address`; its user may be a token without a password. */
export function proxyAuthorization(address: string): string | undefined {
  const url = new URL(address);
  if (url.username === "") return undefined;
  return `Basic ${Buffer.from(credentialsOf(url)).toString("base64")}`;
}

/**
 * The passwords and tokens in these addresses, for redaction: as written, decoded, and combined with the user name as sent to the proxy.
 */
export function proxyPasswords(variables: NodeJS.Dict<string>): readonly string[] {
  return [...HTTPS_PROXY, ...HTTP_PROXY].flatMap((name) => {
    const url = parseProxy(variables[name] ?? "");
    if (url === null || url.username === "") return [];
    // A short user name without a password may be an ordinary word instead of a token.
    const secret = url.password || (url.username.length < MIN_TOKEN_LENGTH ? "" : url.username);
    return [secret, decoded(secret), credentialsOf(url)].filter((each) => each !== "");
  });
}

const MIN_TOKEN_LENGTH = 16;

function credentialsOf({ username, password }: URL): string {
  return `${decoded(username)}:${decoded(password)}`;
}

function proxyOf(variables: NodeJS.Dict<string>, names: readonly [string, string]): string | null {
  const name = names.find((each) => (variables[each] ?? "") !== "");
  return name === undefined ? null : requireProxy(name, variables[name] ?? "");
}

function requireProxy(name: string, text: string): string {
  const url = parseProxy(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw new AppError(
    "config-address-invalid",
    `${name} is not the address of an HTTP proxy. Write it as http://HOST:PORT, or list the hosts to reach directly in NO_PROXY.`,
    { data: { variable: name } },
  );
}

function parseProxy(text: string): URL | null {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  return text !== "" && URL.canParse(full) ? new URL(full) : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
