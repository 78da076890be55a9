/** Where rollouts are uploaded to, and with which key: `docs/protocols/openreward.md#addresses`. */

import type { Config } from "../../core/config/fields/schema.ts";
import { AppError } from "../../core/errors.ts";
import { type NamedValue, requireAllowedRoute } from "../../core/secrets/hostBinding.ts";
import type { KeySource } from "../../core/secrets/keySource.ts";
import type { ServiceAddressOptions } from "../services/serviceAddress.ts";
import type { Variables } from "../services/variables.ts";

/** OpenReward's platform API. */
const OPENREWARD_API_URL = "https://api.openreward.ai";
const KEY_NAME = "OPENREWARD_API_KEY";

export interface UploadAddress {
  readonly url: string;
  readonly key: string;
  readonly keySource: KeySource;
}

/**
 * Null when nothing is to be uploaded. `OPENREWARD_API_URL` leads elsewhere than the hosted service, and so do `OPENREWARD_URL` and
 * `OPENREWARD_BASE_URL` with `api.` before their host.
 * @throws AppError `key-missing`, `key-host-not-allowed`, `key-not-encrypted`, `config-address-invalid`
 */
export function uploadAddress({
  config,
  variables,
  allowedOrigins,
}: Omit<ServiceAddressOptions, "config"> & {
  readonly config: Pick<Config, "openreward_upload" | "openreward_upload_evaluations">;
}): UploadAddress | null {
  const key = config.openreward_upload ? "openreward_upload" : "openreward_upload_evaluations";
  if (!config[key]) return null;
  const found = variables(KEY_NAME);
  if (found === null) {
    throw new AppError(
      "key-missing",
      `${key}: true uploads the rollouts to OpenReward, which needs ${KEY_NAME}. Set it in the environment or in a .env file beside the configuration, or set ${key}: false.`,
      { data: { name: KEY_NAME }, configPath: key },
    );
  }
  const address = addressVariable(variables);
  const keys = [{ ...found, name: KEY_NAME }];
  const url = address?.value ?? OPENREWARD_API_URL;
  requireAllowedRoute({ keys, url, address, officialUrl: OPENREWARD_API_URL, allowedOrigins });
  return { url, key: found.value, keySource: { name: KEY_NAME, origin: found.origin } };
}

function addressVariable(variables: Variables): NamedValue | null {
  const own = named(variables, "OPENREWARD_API_URL");
  if (own !== null) return own;
  const web = named(variables, "OPENREWARD_URL") ?? named(variables, "OPENREWARD_BASE_URL");
  if (web === null || !URL.canParse(web.value)) return web;
  const { protocol, host } = new URL(web.value);
  return { ...web, value: `${protocol}//api.${host}` };
}

function named(variables: Variables, name: string): NamedValue | null {
  const found = variables(name);
  return found === null ? null : { ...found, name };
}
