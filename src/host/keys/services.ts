/** Where the services are, and which host a key for them is bound to. */

import { OPENREWARD_SESSIONS_URL } from "../../core/openreward/environments.ts";
import { hostedBaseUrl } from "../../core/tinker/openTinker.ts";
import { withoutEnd } from "../../core/util/textEdges.ts";
import type { ServiceId } from "./keyNames.ts";

/** The official addresses: the first is the one that is used, the others stand for the same service. */
const OFFICIAL_URLS: Readonly<Record<ServiceId, readonly [string, ...string[]]>> = {
  tinker: [hostedBaseUrl],
  openreward: [OPENREWARD_SESSIONS_URL, "https://openreward.ai", "https://api.openreward.ai"],
  wandb: ["https://api.forge.coreweave.com", "https://api.wandb.ai"],
  openai: ["https://api.openai.com/v1"],
  anthropic: ["https://api.anthropic.com"],
};

/** OpenReward's pages about the account, beside the sessions that keys are bound to. */
export const OPENREWARD_API_URL = "https://api.openreward.ai";

/** Variables that name the address of a service, the first that is set counts. */
const ADDRESS_VARIABLES: Readonly<Record<ServiceId, readonly string[]>> = {
  tinker: ["TINKER_BASE_URL"],
  openreward: ["OPENREWARD_SESSION_URL", "OPENREWARD_ENVIRONMENTS_URL"],
  wandb: ["WANDB_BASE_URL"],
  openai: ["OPENAI_BASE_URL"],
  anthropic: ["ANTHROPIC_BASE_URL"],
};

/** OpenReward's web address, from which that of its environments follows: `docs/protocols/openreward.md#addresses`. */
const OPENREWARD_WEB_VARIABLES: readonly string[] = ["OPENREWARD_URL", "OPENREWARD_BASE_URL"];

/** Variables that lead environments elsewhere than OpenReward, or back to it. */
export const ENVIRONMENT_ADDRESS_VARIABLES: readonly string[] = [
  ...ADDRESS_VARIABLES.openreward,
  ...OPENREWARD_WEB_VARIABLES,
];

/** Variables that a trainer looks up and that are no keys: addresses of services, and how runs are reported. */
const SERVICE_VARIABLES: readonly string[] = [
  "TINKER_BASE_URL",
  ...ENVIRONMENT_ADDRESS_VARIABLES,
  "OPENREWARD_API_URL",
  "WANDB_BASE_URL",
  "WANDB_APP_URL",
  "WANDB_ENTITY",
  "WANDB_CONFIG_DIR",
  "NETRC",
  "WANDB_TAGS",
  "WANDB_RUN_GROUP",
  "WANDB_NOTES",
];

/** Those of {@link SERVICE_VARIABLES}, for a trainer. */
export function serviceVariables(values: Values): Values {
  return Object.fromEntries(
    SERVICE_VARIABLES.flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Values by the name of their variable. */
export type Values = Readonly<Record<string, string>>;

/** The address that `values` give a service; null = the official one. */
function addressIn(service: ServiceId, values: Values): string | null {
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => values[name] ?? "").find(Boolean);
  const address = first(ADDRESS_VARIABLES[service]);
  if (address !== undefined || service !== "openreward") return address ?? null;
  const web = first(OPENREWARD_WEB_VARIABLES);
  if (web === undefined || !URL.canParse(web)) return null;
  const { protocol, host } = new URL(web);
  return `${protocol}//sessions.${host}`;
}

/** The host of the official service, as shown. */
export function officialHost(service: ServiceId): string {
  return new URL(OFFICIAL_URLS[service][0]).host;
}

/** The host to bind a key to when it is used at `url`: null for the official service, and for what is no address. */
function hostOfAddress(service: ServiceId, url: string): string | null {
  if (!URL.canParse(url) || !/^https?:/i.test(url)) return null;
  const { host } = new URL(url);
  return OFFICIAL_URLS[service].some((official) => new URL(official).host === host) ? null : host;
}

/** The host that `values` lead a key of this service to; null for the official one. */
export function hostIn(service: ServiceId, values: Values): string | null {
  return hostOfAddress(service, addressIn(service, values) ?? "");
}

/** The address of the server that a key is bound to; null when nothing leads to that host. */
export function addressFor(
  service: ServiceId,
  host: string | null,
  variables: Values,
): string | null {
  if (host === null) return OFFICIAL_URLS[service][0];
  const url = addressIn(service, variables) ?? "";
  return hostOfAddress(service, url) === host ? withoutEnd(url, /\//) : null;
}
