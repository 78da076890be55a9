/** Addresses of services from the settings of the machine, as the variables that a trainer reads. */

import { readSetting } from "./settings.ts";

const ADDRESSES = [
  ["tinker.baseUrl", "TINKER_BASE_URL"],
  ["openReward.baseUrl", "OPENREWARD_BASE_URL"],
  ["openReward.environmentsUrl", "OPENREWARD_ENVIRONMENTS_URL"],
] as const;

/** Those that are set. */
export function addressVariables(): Readonly<Record<string, string>> {
  const values = ADDRESSES.map(([key, name]) => [name, readSetting(key)] as const);
  return Object.fromEntries(values.filter(([, url]) => url !== ""));
}
