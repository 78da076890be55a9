/** Addresses of Weights & Biases, and which of them are the same deployment: `docs/protocols/wandb.md#addresses`. */

import { AppError } from "../../../errors.ts";
import { WANDB_OLDER_URL, WANDB_URL } from "../../../services.ts";
import { withoutEnd } from "../../../util/textEdges.ts";

const APP_URL = "https://forge.coreweave.com/wandb";
/** The same service, reached through its website. */
const PROXY_PATH_URL = "https://forge.coreweave.com/api/wandb";

/** Hosts of the hosted service: the current name and the older one, which share projects, runs and keys. */
export const WANDB_HOSTS: readonly string[] = [WANDB_URL, WANDB_OLDER_URL].map(
  (url) => new URL(url).host,
);

/**
 * The address to send requests to, without a trailing slash.
 * @throws AppError `config-address-invalid`, naming `source`, if the address is not valid
 */
export function wandbBaseUrl(given: string, source: string): string {
  if (!URL.canParse(given) || !/^\s*https?:/i.test(given)) {
    throw invalid(source, "is not an address that begins with http:// or https://");
  }
  const { origin, pathname, hostname, protocol, username, password } = new URL(given);
  const url = withoutEnd(`${origin}${pathname}`, /\//);
  if (url === PROXY_PATH_URL) return WANDB_URL;
  if (username + password !== "") throw invalid(source, "contains a user name or a password");
  const isSite = hostname === "forge.coreweave.com";
  const isOldSite = /(^|\.)wandb\.ai$/.test(hostname);
  const isValid = protocol === "https:" && (!isOldSite || hostname.includes("api."));
  if (isSite || (isOldSite && !isValid)) {
    throw invalid(source, `points to a web page, not to the service; use ${WANDB_URL}`);
  }
  return url;
}

/** Equal for addresses of the same deployment: a run started at one can continue at the other. */
export function deploymentOf(baseUrl: string): string {
  return baseUrl === WANDB_OLDER_URL ? WANDB_URL : baseUrl;
}

export interface RunAddress {
  readonly entity: string;
  readonly project: string;
  readonly run: string;
}

/** The page of a run. `appUrl` is the address of the web app if it cannot be derived; null = derive it. */
export function runPageUrl(baseUrl: string, appUrl: string | null, at: RunAddress): string {
  const root = withoutEnd(appUrl ?? appUrlOf(baseUrl), /\//);
  const [entity, project, run] = [at.entity, at.project, at.run].map(encodeURIComponent);
  return `${root}/${entity}/${project}/runs/${run}`;
}

function appUrlOf(baseUrl: string): string {
  if (deploymentOf(baseUrl) === WANDB_URL) return APP_URL;
  if (baseUrl.includes("://api.wandb.")) return baseUrl.replace("://api.", "://");
  return baseUrl.replace("://api.", "://app.");
}

function invalid(source: string, what: string): AppError {
  return new AppError("config-address-invalid", `${source} ${what}. Correct it where it is set.`, {
    data: { variable: source },
  });
}
