/** The proxies that the environment names, read as other programs read them. */

import { AppError } from "../core/errors.ts";

/** As curl and undici read them: the lower-case name wins. */
const HTTP_PROXY = ["http_proxy", "HTTP_PROXY"] as const;
const HTTPS_PROXY = ["https_proxy", "HTTPS_PROXY"] as const;

export interface ProxySettings {
  /** Address of the proxy for `http://` addresses; null = none. */
  readonly httpProxy: string | null;
  /** The same for `https://` addresses. */
  readonly httpsProxy: string | null;
}

/**
 * The proxies of `variables`; an address without a scheme, as `127.0.0.1:7890`, means `http://`.
 * @throws AppError `config-address-invalid` that names the variable, without its value, which may hold a password
 */
export function proxySettings(variables: NodeJS.Dict<string>): ProxySettings {
  const httpProxy = proxyOf(variables, HTTP_PROXY);
  // An https:// address uses HTTP_PROXY where no proxy of its own is named, as undici does.
  return { httpProxy, httpsProxy: proxyOf(variables, HTTPS_PROXY) ?? httpProxy };
}

/** What is sent to the proxy at `address` for its user, who may have a token as name and no password. */
export function proxyAuthorization(address: string): string | undefined {
  const url = new URL(address);
  if (url.username === "") return undefined;
  return `Basic ${Buffer.from(credentialsOf(url)).toString("base64")}`;
}

/** The passwords or tokens in these addresses, as written and as meant, and with the user's name as the proxy receives them. */
export function proxyPasswords(variables: NodeJS.Dict<string>): readonly string[] {
  return [...HTTPS_PROXY, ...HTTP_PROXY].flatMap((name) => {
    const url = parseProxy(variables[name] ?? "");
    if (url === null || url.username === "") return [];
    // A name without a password may be a token, or a word of any text.
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
