/** What an environment's name means in requests: deployment header, path prefix, and who may get the key. */

import { AppError } from "../errors.ts";

export interface Target {
  /** As in the configuration. */
  readonly name: string;
  /** Value of `X-Deployment`; null for an environment of the server itself. */
  readonly deployment: string | null;
  /** Name on the server, the first path segment; null for the default environment. */
  readonly envName: string | null;
  /** The name on the server if the configuration gives it separately. */
  readonly onServer: string | null;
  /** True for `Owner/Name` at OpenReward. Only these environments get the user's key among their secrets. */
  readonly isOpenReward: boolean;
}

const LOCAL_OWNER = "local";
const OPENREWARD_HOST = /^([a-z0-9-]+\.)*openreward\.ai$/;

/**
 * Parses `Owner/Name`, `Owner/Name:variant`, `local/name` or a plain `name`. `onServer` is the environment's name on its server; null
 * means as in `name`.
 * @throws AppError `environment-not-found`
 */
export function resolveTarget(
  name: string,
  baseUrl: string,
  onServer: string | null = null,
): Target {
  const [owner = "", rest, ...extra] = name.split("/");
  if (owner === "" || rest === "" || extra.length > 0) {
    throw new AppError(
      "environment-not-found",
      `"${name}" is not an environment name. Write Owner/Name, Owner/Name:variant or local/name.`,
      { data: { environment: name, sid: null } },
    );
  }
  if (rest === undefined || owner === LOCAL_OWNER) {
    return {
      name,
      deployment: null,
      envName: onServer ?? rest ?? owner,
      onServer,
      isOpenReward: false,
    };
  }
  const [short = "", variant = null] = rest.split(":");
  return {
    name,
    deployment: `${owner}/${short}`,
    envName: onServer ?? variant,
    onServer,
    isOpenReward: isOpenRewardUrl(baseUrl),
  };
}

function isOpenRewardUrl(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "https:" && OPENREWARD_HOST.test(hostname);
}
