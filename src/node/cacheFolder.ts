/** Where this program stores data that it can fetch again. */

import { homedir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** This program's folder in the platform's cache folder for the user. */
export function cacheFolder(environment: Environment): string {
  return join(userCache(environment), "tinker-rl");
}

function userCache(environment: Environment): string {
  if (process.platform === "win32") {
    return environment["LOCALAPPDATA"] || join(homedir(), "AppData", "Local");
  }
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches");
  return environment["XDG_CACHE_HOME"] || join(homedir(), ".cache");
}
