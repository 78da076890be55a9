/** Looks up variables: in a terminal from the process and the `.env` next to the configuration, else from an editor's request. */

import { join } from "node:path";
import type { FoundValue, KeyOrigin } from "../../core/secrets/keySource.ts";
import { locateDotEnv, readDotEnv } from "../../node/dotEnv.ts";
import { parseEnvText } from "../../node/envText.ts";
import type { LaunchRequest } from "../../shared/control.ts";

/** The value of a variable and where it was found; an empty value counts as absent. */
export type Variables = (name: string) => FoundValue | null;

/** The part of a request with keys and variables. */
export type Handed = Pick<LaunchRequest, "keys" | "variables" | "envFile">;

export async function loadVariables(
  configFolder: string,
  launchRequest?: Handed,
): Promise<Variables> {
  if (launchRequest !== undefined) return handedOver(launchRequest);
  const file = await valuesIn(join(configFolder, ".env"));
  return (name) => find(process.env, name, "process") ?? find(file, name, "dotenv");
}

/**
 * The editor has asked its user where keys may be sent: what it did not include does not exist, and each key, even from the chosen
 * file, is bound to a host.
 */
async function handedOver({ keys, variables, envFile }: Handed): Promise<Variables> {
  // The user approved this exact file, not the current target of a link.
  const isSame = envFile !== null && (await locateDotEnv(envFile)) === envFile;
  const file = isSame ? await valuesIn(envFile) : {};
  return (name) => {
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (key !== undefined) return key.value === "" ? null : key;
    const variable = find(variables, name, "process");
    if (variable !== null) return variable;
    const value = find(file, name, "dotenv");
    return value === null ? null : { ...value, host: null };
  };
}

function find(values: NodeJS.Dict<string>, name: string, origin: KeyOrigin): FoundValue | null {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return value === undefined || value === "" ? null : { value, origin };
}

async function valuesIn(path: string): Promise<NodeJS.Dict<string>> {
  return parseEnvText((await readDotEnv(path)) ?? "");
}
