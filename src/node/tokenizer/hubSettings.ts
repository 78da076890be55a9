/** This computer's model hub settings: endpoint, token, offline mode and caches. */

import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import { HUB_URL } from "../../core/services.ts";
import { withoutEnd } from "../../core/util/textEdges.ts";
import { cacheFolder } from "../cacheFolder.ts";

export interface HubSettings {
  /** Without a trailing slash. */
  readonly endpoint: string;
  /** Sent to the endpoint only; null = anonymous. */
  readonly token: string | null;
  readonly isOffline: boolean;
  /** Where this program stores downloads. */
  readonly cacheFolder: string;
  /** Where Python's hub library stores downloads; read-only. */
  readonly pythonCacheFolder: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const YES = new Set(["1", "on", "true", "yes"]);

/**
 * Reads the same variables as Python's hub library. `token` overrides the token file. The endpoint comes from `environment` only, because a
 * project's file must not redirect the user's token. @throws AppError `hub-endpoint`
 */
export async function loadHubSettings(
  environment: Environment,
  token: string | null,
): Promise<HubSettings> {
  const get = (name: string): string | null => environment[name] || null;
  const isYes = (name: string): boolean => YES.has(get(name)?.toLowerCase() ?? "");
  const userCache = get("XDG_CACHE_HOME") ?? join(homedir(), ".cache");
  const hubHome = get("HF_HOME") ?? join(userCache, "huggingface");
  return {
    endpoint: checkedEndpoint(get("HF_ENDPOINT") ?? HUB_URL),
    token: token ?? (await readToken(get("HF_TOKEN_PATH") ?? join(hubHome, "token"))),
    isOffline: isYes("HF_HUB_OFFLINE") || isYes("TRANSFORMERS_OFFLINE"),
    cacheFolder: join(cacheFolder(environment), "tokenizers"),
    pythonCacheFolder: get("HF_HUB_CACHE") ?? join(hubHome, "hub"),
  };
}

function checkedEndpoint(endpoint: string): string {
  const isHttp = URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol);
  if (isHttp) return withoutEnd(endpoint, /\//);
  throw new AppError(
    "hub-endpoint",
    `The variable HF_ENDPOINT is not an http or https address. Set it to the address of a mirror of the Hugging Face Hub, or unset it to use ${HUB_URL}.`,
  );
}

async function readToken(path: string): Promise<string | null> {
  try {
    return (await readFile(path, "utf8")).trim() || null;
  } catch {
    // Without a readable token, requests are anonymous; the hub reports if that is insufficient.
    return null;
  }
}
