/** Owns what an environment's name means on the wire: deployment header, path prefix, who may see the key. */

import { AppError } from "../errors.ts";

export interface Target {
  /** As the configuration spells it. */
  readonly name: string;
  /** Value of `X-Deployment`; null for an environment of the server itself. */
  readonly deployment: string | null;
  /** Name on the server, first segment of the paths; null = the default environment. */
  readonly envName: string | null;
  /** The same where the configuration gives it apart from `name`. */
  readonly onServer: string | null;
  /** True for `Owner/Name` at OpenReward: its environments, and no others, get the user's key among their secrets. */
  readonly isOpenReward: boolean;
}

const LOCAL_OWNER = "local";
const OPENREWARD_HOST = /^([a-z0-9-]+\.)*openreward\.ai$/;

/**
 * Reads `Owner/Name`, `Owner/Name:variant`, `local/name` or a bare `name`; `onServer` is the environment's name on its server, null =
 * as `name` says.
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
