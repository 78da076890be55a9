/** External services: their URLs, the variables with their keys, and the variables that change their URLs. */

export const TINKER_URL = "https://tinker.thinkingmachines.dev/services/tinker-prod";
export const TINKER_CONSOLE_URL = "https://tinker.thinkingmachines.ai";
export const PRICE_LIST_URL = "https://tinker-docs.thinkingmachines.ai/tinker/models.json";
/** Service for hosted environments. */
export const OPENREWARD_SESSIONS_URL = "https://sessions.openreward.ai";
/** OpenReward's platform API: catalog, accounts, uploads. */
export const OPENREWARD_API_URL = "https://api.openreward.ai";
export const OPENREWARD_PAGES_URL = "https://openreward.ai";
/** Page for keys and credit. */
export const OPENREWARD_ACCOUNT_URL = `${OPENREWARD_PAGES_URL}/settings`;
export const WANDB_URL = "https://api.forge.coreweave.com";
/** The same service under its older name. */
export const WANDB_OLDER_URL = "https://api.wandb.ai";
export const HUB_URL = "https://huggingface.co";

interface Service {
  readonly label: string;
  /** The variable with the key. */
  readonly variable: string;
  /** The first URL is used. The others belong to the same service. */
  readonly urls: readonly [string, ...string[]];
  /** Variables that change the URL. The first one that is set applies. */
  readonly addressVariables: readonly string[];
}

/** Services that have their own key. */
export const SERVICES = {
  tinker: {
    label: "Tinker",
    variable: "TINKER_API_KEY",
    urls: [TINKER_URL],
    addressVariables: ["TINKER_BASE_URL"],
  },
  openreward: {
    label: "OpenReward",
    variable: "OPENREWARD_API_KEY",
    urls: [OPENREWARD_SESSIONS_URL, OPENREWARD_PAGES_URL, OPENREWARD_API_URL],
    addressVariables: ["OPENREWARD_SESSION_URL", "OPENREWARD_ENVIRONMENTS_URL"],
  },
  wandb: {
    label: "Weights & Biases",
    variable: "WANDB_API_KEY",
    urls: [WANDB_URL, WANDB_OLDER_URL],
    addressVariables: ["WANDB_BASE_URL"],
  },
  openai: {
    label: "OpenAI",
    variable: "OPENAI_API_KEY",
    urls: ["https://api.openai.com/v1"],
    addressVariables: ["OPENAI_BASE_URL"],
  },
  anthropic: {
    label: "Anthropic",
    variable: "ANTHROPIC_API_KEY",
    urls: ["https://api.anthropic.com"],
    addressVariables: ["ANTHROPIC_BASE_URL"],
  },
} as const satisfies Record<string, Service>;

export type ServiceId = keyof typeof SERVICES;

/** OpenReward's web URL, from which the URLs of its services are derived: `docs/protocols/openreward.md#addresses`. */
const OPENREWARD_WEB_VARIABLES: readonly string[] = ["OPENREWARD_URL", "OPENREWARD_BASE_URL"];

/** Variables that change the URL of environments. */
export const ENVIRONMENT_ADDRESS_VARIABLES: readonly string[] = [
  ...SERVICES.openreward.addressVariables,
  ...OPENREWARD_WEB_VARIABLES,
];

/** Variables used by a trainer that are not keys: URLs of services, and settings for reporting. */
export const SERVICE_VARIABLES: readonly string[] = [
  ...SERVICES.tinker.addressVariables,
  ...ENVIRONMENT_ADDRESS_VARIABLES,
  "OPENREWARD_API_URL",
  ...SERVICES.wandb.addressVariables,
  "WANDB_APP_URL",
  "WANDB_ENTITY",
  "WANDB_CONFIG_DIR",
  "NETRC",
  "WANDB_TAGS",
  "WANDB_RUN_GROUP",
  "WANDB_NOTES",
];

type LookUp<Found> = (name: string) => Found | null;
type Named<Found> = Found & { readonly name: string };

/** The variable that changes a service's URL; null if none is set. */
export function findAddress<Found extends { readonly value: string }>(
  service: ServiceId | "openreward-api",
  lookUp: LookUp<Found>,
): Named<Found> | null {
  const isApi = service === "openreward-api";
  const own = firstSet(isApi ? ["OPENREWARD_API_URL"] : SERVICES[service].addressVariables, lookUp);
  if (own !== null || (!isApi && service !== "openreward")) return own;
  const web = firstSet(OPENREWARD_WEB_VARIABLES, lookUp);
  if (web === null || !URL.canParse(web.value)) return web;
  const { protocol, host } = new URL(web.value);
  return { ...web, value: `${protocol}//${isApi ? "api" : "sessions"}.${host}` };
}

function firstSet<Found>(names: readonly string[], lookUp: LookUp<Found>): Named<Found> | null {
  for (const name of names) {
    const found = lookUp(name);
    if (found !== null) return { ...found, name };
  }
  return null;
}

const HOSTED_NAME = /^[\w.-]+\/[\w.-]+$/;

/** The page of the hosted environment `OWNER/NAME`; null for other names. */
export function environmentPage(name: string): string | null {
  return HOSTED_NAME.test(name) ? `${OPENREWARD_PAGES_URL}/${name}` : null;
}
