/** Resolves which secrets an environment receives, from the configuration and a lookup. */

import { AppError } from "../errors.ts";
import { OWN_KEYS } from "./keySource.ts";
import type { Redactor } from "./redaction/redactor.ts";

/** A `secrets` map of the configuration: a value, null = look it up, "" = send nothing for this key. */
export type SecretMap = Readonly<Record<string, string | null>>;

/** Finds a value by its upper-case name, or null. Searches secret store, process environment, `.env` and tool files. */
export type SecretLookup = (name: string) => Promise<string | null>;

export interface SecretSources {
  readonly environment: string;
  /** `environments.<name>.secrets`; overrides the global map. */
  readonly environmentSecrets: SecretMap | null;
  /** `secrets` at the top of the configuration. */
  readonly globalSecrets: SecretMap | null;
  readonly lookUp: SecretLookup;
  readonly redactor: Redactor;
}

/**
 * The secrets for one environment, with keys as written. The redactor learns every value first.
 * @throws AppError `secret-missing` if a key to look up has no value, `secret-not-allowed` if it is one of {@link OWN_KEYS}
 */
export async function resolveSecrets(
  sources: SecretSources,
): Promise<Readonly<Record<string, string>>> {
  const { environmentSecrets, globalSecrets, redactor } = sources;
  const wanted = { ...globalSecrets, ...environmentSecrets };
  const resolved: Record<string, string> = {};
  for (const [key, written] of Object.entries(wanted)) {
    const value = written ?? (await lookUpSecret(key, sources));
    if (value === "") continue;
    redactor.learn(value);
    resolved[key] = value;
  }
  return resolved;
}

async function lookUpSecret(key: string, sources: SecretSources): Promise<string> {
  const name = key.toUpperCase();
  const configPath = secretPath(key, sources);
  if (OWN_KEYS.has(name)) {
    throw new AppError(
      "secret-not-allowed",
      `${configPath} would send ${name}, a key of this program, to ${sources.environment}. Remove the key, or write its value out if you intend that.`,
      { configPath, data: { key } },
    );
  }
  const value = await sources.lookUp(name);
  if (value === null || value === "") {
    throw new AppError(
      "secret-missing",
      `${configPath} needs the secret ${name}, which is not set. Set ${name} in the environment or in .env, or write "" to send nothing.`,
      { configPath, data: { key } },
    );
  }
  return value;
}

function secretPath(key: string, sources: SecretSources): string {
  const isOwn = Object.hasOwn(sources.environmentSecrets ?? {}, key);
  return isOwn ? `environments.${sources.environment}.secrets.${key}` : `secrets.${key}`;
}
