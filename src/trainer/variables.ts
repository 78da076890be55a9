/** Looks values up in what an editor handed over, the process environment, and the `.env` file beside the configuration. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { FoundValue } from "../core/secrets/hostBinding.ts";
import type { LaunchOrder } from "../shared/control.ts";

/** The value of a variable and where it was found; empty counts as absent. */
export type Variables = (name: string) => FoundValue | null;

export async function loadVariables(
  configFolder: string,
  order?: Pick<LaunchOrder, "keys" | "variables" | "envFile">,
): Promise<Variables> {
  const path = order === undefined ? join(configFolder, ".env") : order.envFile;
  const file = path === null ? {} : await readDotEnv(path);
  return (name) =>
    stored(order, name) ??
    find(order?.variables ?? {}, name, "process") ??
    find(process.env, name, "process") ??
    find(file, name, "dotenv");
}

function stored(order: Pick<LaunchOrder, "keys"> | undefined, name: string): FoundValue | null {
  const key = order !== undefined && Object.hasOwn(order.keys, name) ? order.keys[name] : undefined;
  if (key === undefined || key.value === "") return null;
  return { value: key.value, origin: "store", host: key.host };
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
