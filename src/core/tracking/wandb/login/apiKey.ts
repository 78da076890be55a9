/** Checks keys of Weights & Biases, and finds them in netrc files: `docs/protocols/wandb.md#login`. */

import { keyFault } from "../../../secrets/keyForm.ts";
import { WANDB_HOSTS } from "./deployment.ts";

const MIN_LENGTH = 40;

/** What is wrong with a key, phrased to follow its name; null if it looks valid. */
export function wandbKeyFault(key: string): string | null {
  const fault = keyFault(key);
  if (fault !== null) return fault;
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(key)) return null;
  // On-premises keys have a prefix up to the first dash.
  const body = key.slice(key.indexOf("-") + 1);
  if (!/^[\w-]+$/.test(body)) return "contains characters that no key has";
  return body.length < MIN_LENGTH
    ? `is too short: a key has at least ${MIN_LENGTH} characters`
    : null;
}

/**
 * The password in a netrc file for the host of `baseUrl`, else for the hosted service's other name, else the `default` entry
 * (only for hosts that the user chose); null if there is none.
 */
export function netrcKey(text: string, baseUrl: string, isChosen: boolean): string | null {
  const { host } = new URL(baseUrl);
  const hosts = WANDB_HOSTS.includes(host) ? [host, ...WANDB_HOSTS] : [host];
  const entries = netrcEntries(text);
  for (const name of isChosen ? [...hosts, DEFAULT] : hosts) {
    const password = entries.get(name);
    if (password !== undefined && password !== "") return password;
  }
  return null;
}

const DEFAULT = "";

/** Passwords by machine. */
function netrcEntries(text: string): ReadonlyMap<string, string> {
  const tokens = netrcTokens(text);
  const entries = new Map<string, string>();
  let machine: string | null = null;
  for (let i = 0; i < tokens.length; i += 1) {
    const token = tokens[i];
    if (token === "default") machine = DEFAULT;
    else if (token === "machine") machine = tokens[++i] ?? null;
    else if (token === "password" && machine !== null) entries.set(machine, tokens[++i] ?? "");
    else if (token === "login" || token === "account" || token === "password") i += 1;
  }
  return entries;
}

/** Words, possibly quoted; omits comments and macro bodies. */
function netrcTokens(text: string): readonly string[] {
  const withoutMacros = text.replace(/^macdef\b[\s\S]*?(?:\n\s*\n|$(?![\s\S]))/gm, "");
  const lines = withoutMacros.split(/\r?\n/).map((line) => line.replace(/(^|\s)#.*$/, ""));
  const words = lines.join("\n").match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
  return words.map((word) =>
    word.length > 1 && word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/g, "$1") : word,
  );
}

export interface WandbSettings {
  /** Address of the server; null = the hosted service. */
  readonly baseUrl: string | null;
  /** Account or team; null = the key's own. */
  readonly entity: string | null;
}

export const NO_SETTINGS: WandbSettings = { baseUrl: null, entity: null };

/** Reads the section `[default]`; ignores other sections and keys. */
export function parseWandbSettings(text: string): WandbSettings {
  const found = new Map<string, string>();
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    section = /^\s*\[([^\]]*)\]/.exec(line)?.[1] ?? section;
    const [, name, value] = /^\s*(\w+)\s*[=:](.*)$/.exec(line) ?? [];
    if (section !== "default" || name === undefined || value === undefined) continue;
    if (value.trim() !== "") found.set(name.toLowerCase(), value.trim());
  }
  return { baseUrl: found.get("base_url") ?? null, entity: found.get("entity") ?? null };
}
