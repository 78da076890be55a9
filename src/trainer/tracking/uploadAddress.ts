/** Address and key for uploading rollouts: `docs/protocols/openreward.md#addresses`. */

import type { Config } from "../../core/config/fields/schema.ts";
import { AppError } from "../../core/errors.ts";
import { requireAllowedRoute } from "../../core/secrets/hostBinding.ts";
import { requireKeyForm } from "../../core/secrets/keyForm.ts";
import type { KeySource } from "../../core/secrets/keySource.ts";
import { findAddress, OPENREWARD_API_URL, SERVICES } from "../../core/services.ts";
import type { ServiceAddressOptions } from "../services/serviceAddress.ts";

const KEY_NAME = SERVICES.openreward.variable;

export interface UploadAddress {
  readonly url: string;
  readonly key: string;
  readonly keySource: KeySource;
}

/**
 * Null if nothing is to be uploaded. `OPENREWARD_API_URL` overrides the hosted service, as do `OPENREWARD_URL` and
 * `OPENREWARD_BASE_URL` with `api.` prepended to their host.
 * @throws AppError `key-missing`, `key-invalid`, `key-host-not-allowed`, `key-not-encrypted`, `config-address-invalid`
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
      `${key}: true uploads the rollouts to OpenReward, which needs ${KEY_NAME}. Set it in the environment or in a .env file next to the configuration, or set ${key}: false.`,
      { data: { name: KEY_NAME }, configPath: key },
    );
  }
  const address = findAddress("openreward-api", variables);
  const keys = [{ ...found, name: KEY_NAME }];
  const url = address?.value ?? OPENREWARD_API_URL;
  requireAllowedRoute({ keys, url, address, officialUrl: OPENREWARD_API_URL, allowedOrigins });
  requireKeyForm({ ...found, name: KEY_NAME });
  return { url, key: found.value, keySource: { name: KEY_NAME, origin: found.origin } };
}
