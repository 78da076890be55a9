/** Looks values up in the process environment and then in the `.env` file beside the configuration. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** The value of a variable; empty counts as absent. */
export type Variables = (name: string) => string | null;

export async function loadVariables(configFolder: string): Promise<Variables> {
  const file = await readDotEnv(join(configFolder, ".env"));
  return (name) => process.env[name] || file[name] || null;
}

async function readDotEnv(path: string): Promise<NodeJS.Dict<string>> {
  try {
    return parseEnv(await readFile(path, "utf8"));
  } catch {
    // Most projects have none; one that cannot be read gives no value, and the key that is missing is named then.
    return {};
  }
}
