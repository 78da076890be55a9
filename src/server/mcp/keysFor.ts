/** The keys passed to a trainer that an assistant starts: the program's own keys, and secrets named by the user. */

import { join } from "node:path";
import { OWN_KEYS } from "../../core/secrets/keySource.ts";
import { serviceVariables } from "../../core/secrets/serviceHosts.ts";
import { ENVIRONMENT_ADDRESS_VARIABLES, SERVICES } from "../../core/services.ts";
import { readDotEnv } from "../../node/dotEnv.ts";
import { parseEnvText } from "../../node/envText.ts";
import type { LaunchRequest, RequestedKey } from "../../shared/control.ts";
import { handedKeys } from "./handedKeys.ts";

/** Keys by name. Each is bound to its own service's host, or to the host that the user's editor passed with it. */
export async function keysFor(
  configFolder: string,
  env: NodeJS.ProcessEnv,
  secrets: readonly string[] = [],
): Promise<LaunchRequest["keys"]> {
  const file = await valuesOf(configFolder);
  const handed = handedKeys(env);
  const found = [...OWN_KEYS, ...secrets].flatMap((name): [string, RequestedKey][] => {
    const key = handed[name];
    if (key !== undefined) return [[name, key]];
    const value = env[name] || file[name] || "";
    return value === "" ? [] : [[name, { value, origin: "process", host: null }]];
  });
  return Object.fromEntries(found);
}

/**
 * The value that {@link keysFor} takes from the workspace's `.env`; null if the user's own environment sets the variable, or neither does.
 */
export async function fileValueFor(
  configFolder: string,
  env: NodeJS.ProcessEnv,
  name: string,
): Promise<string | null> {
  if (env[name]) return null;
  return (await valuesOf(configFolder))[name] || null;
}

/** Only addresses are taken from the workspace's file: it may redirect a service, to which a key follows only with the user's approval. */
export async function variablesFor(
  configFolder: string,
  env: NodeJS.ProcessEnv,
): Promise<LaunchRequest["variables"]> {
  const file = await valuesOf(configFolder);
  const addresses = [
    ...Object.values(SERVICES).flatMap(({ addressVariables }) => addressVariables),
    ...ENVIRONMENT_ADDRESS_VARIABLES,
  ].flatMap((name) => (file[name] ? [[name, file[name]] as const] : []));
  const own = Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return serviceVariables({ ...Object.fromEntries(addresses), ...Object.fromEntries(own) });
}

async function valuesOf(folder: string): Promise<NodeJS.Dict<string>> {
  return parseEnvText((await readDotEnv(join(folder, ".env"))) ?? "");
}
