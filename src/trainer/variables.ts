/** Looks values up in the process environment and then in the `.env` file beside the configuration. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { FoundValue } from "../core/secrets/hostBinding.ts";

/** The value of a variable and where it was found; empty counts as absent. */
export type Variables = (name: string) => FoundValue | null;

export async function loadVariables(configFolder: string): Promise<Variables> {
  const file = await readDotEnv(join(configFolder, ".env"));
  return (name) => find(process.env, name, "process") ?? find(file, name, "dotenv");
}

function find(
  values: NodeJS.Dict<string>,
  name: string,
  origin: FoundValue["origin"],
): FoundValue | null {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return value === undefined || value === "" ? null : { value, origin };
}

async function readDotEnv(path: string): Promise<NodeJS.Dict<string>> {
  try {
    return parseEnv(await readFile(path, "utf8"));
  } catch {
    // Most projects have none; one that cannot be read gives no value, and the key that is missing is named then.
    return {};
  }
}
