/** Where this program keeps what it can fetch again. */

import { homedir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** The user's folder for caches by the custom of the platform, with a folder of this program in it. */
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
