/** Address and key of Weights & Biases: `docs/protocols/wandb.md#addresses`. */

import { homedir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../core/config/fields/schema.ts";
import { AppError } from "../../core/errors.ts";
import { type NamedValue, requireAllowedRoute } from "../../core/secrets/hostBinding.ts";
import { keyText } from "../../core/secrets/keySource.ts";
import { findAddress, WANDB_URL } from "../../core/services.ts";
import {
  NO_SETTINGS,
  netrcKey,
  parseWandbSettings,
  type WandbSettings,
  wandbKeyFault,
} from "../../core/tracking/wandb/login/apiKey.ts";
import { WANDB_HOSTS, wandbBaseUrl } from "../../core/tracking/wandb/login/deployment.ts";
import { readPlainText } from "../../node/readPlainText.ts";
import { named, type ServiceAddressOptions } from "../services/serviceAddress.ts";
import type { Variables } from "../services/variables.ts";

export interface WandbAddress {
  readonly baseUrl: string;
  /** Address of the web pages; null = derived from the base URL. */
  readonly appUrl: string | null;
  readonly key: string;
  /** Account or team; null = the key's default. */
  readonly entity: string | null;
}

const KEY_NAME = "WANDB_API_KEY";
/** Size limit of settings and key files, because a `.env` file can name any file. */
const MAX_BYTES = 1024 * 1024;

/**
 * Null unless `wandb` is `online`. The address comes from variables, else from W&B's own settings on this computer; the key from
 * variables, else from the netrc entry of the host.
 * @throws AppError `key-missing`, `key-invalid`, `key-host-not-allowed`, `key-not-encrypted`, `config-address-invalid`
 */
export async function wandbAddress({
  config,
  variables,
  allowedOrigins,
}: Omit<ServiceAddressOptions, "config"> & {
  readonly config: Pick<Config, "wandb">;
}): Promise<WandbAddress | null> {
  if (config.wandb !== "online") return null;
  const address = findAddress("wandb", variables);
  const settings = await machineSettings(variables);
  const baseUrl =
    address === null && settings.baseUrl !== null
      ? wandbBaseUrl(settings.baseUrl, "base_url in W&B's settings file")
      : wandbBaseUrl(address?.value ?? WANDB_URL, "WANDB_BASE_URL");
  const found = named(variables, KEY_NAME);
  const officialUrl = WANDB_HOSTS.includes(new URL(baseUrl).host) ? baseUrl : WANDB_URL;
  // A project's .env file must not decide which host gets a key that names none.
  const isChosen = address?.origin !== "dotenv";
  const key =
    found === null ? await keyFromNetrc(variables, baseUrl, isChosen) : withDeployment(found);
  if (key === null) throw missingKey(baseUrl);
  requireAllowedRoute({ keys: [key], url: baseUrl, address, officialUrl, allowedOrigins });
  const fault = wandbKeyFault(key.value);
  if (fault !== null) {
    const source = found === null ? key.name : keyText({ ...found });
    throw new AppError("key-invalid", `${source} ${fault}. Correct it, or set wandb: disabled.`, {
      data: { name: KEY_NAME },
      configPath: "wandb",
    });
  }
  return {
    baseUrl,
    key: key.value,
    appUrl: variables("WANDB_APP_URL")?.value ?? null,
    entity: variables("WANDB_ENTITY")?.value ?? settings.entity,
  };
}

/** The user's own settings; a folder named in a .env file is ignored, because the project may be a stranger's. */
async function machineSettings(variables: Variables): Promise<WandbSettings> {
  const named = variables("WANDB_CONFIG_DIR");
  const folder =
    named === null || named.origin === "dotenv"
      ? join(homedir(), ".config", "wandb")
      : withHome(named.value);
  const text = await readPlainText(join(folder, "settings"), MAX_BYTES);
  return text === null ? NO_SETTINGS : parseWandbSettings(text);
}

function withHome(path: string): string {
  return path.replace(/^~(?=$|[\\/])/, homedir());
}

/** The hosted service's host and its older name are equivalent: a key for either works for both. */
function withDeployment(key: NamedValue): NamedValue {
  const isOfficial = key.host != null && WANDB_HOSTS.includes(key.host.toLowerCase());
  return isOfficial ? { ...key, host: null } : key;
}

/** The key of a netrc entry, bound to the entry's host. An unreadable file counts as having no key, and the error names the missing key. */
async function keyFromNetrc(
  variables: Variables,
  baseUrl: string,
  isChosen: boolean,
): Promise<NamedValue | null> {
  const named = variables("NETRC")?.value;
  const paths =
    named === undefined
      ? [".netrc", "_netrc"].map((name) => join(homedir(), name))
      : [withHome(named)];
  for (const path of paths) {
    const text = await readPlainText(path, MAX_BYTES);
    if (text === null) continue;
    const value = netrcKey(text, baseUrl, isChosen);
    const { host } = new URL(baseUrl);
    return value === null ? null : { name: "The key in netrc", value, origin: "process", host };
  }
  return null;
}

function missingKey(baseUrl: string): AppError {
  const { host } = new URL(baseUrl);
  return new AppError(
    "key-missing",
    `wandb: online sends the metrics to Weights & Biases, which needs ${KEY_NAME}. Set it in the environment, in a .env file next to the configuration, or in netrc for ${host}; or set wandb: offline or wandb: disabled.`,
    { data: { name: KEY_NAME }, configPath: "wandb" },
  );
}
