/** What the server may use to query services: keys bound to the configured addresses, and only in a trusted window. */

import { type CatalogueAccess, canLookUp, type ListKind } from "../../api/catalogue.ts";
import { hostIn, serviceVariables } from "../../core/secrets/serviceHosts.ts";
import { SERVICES } from "../../core/services.ts";
import type { RequestedKey } from "../../shared/control.ts";
import type { Keys } from "../keys/createKeys.ts";
import type { LookUpPermission } from "./lookUpPermission.ts";

export interface ServiceAccessOptions {
  readonly keys: Pick<Keys, "variables"> & { readonly sources: Pick<Keys["sources"], "valueFor"> };
  readonly permission: LookUpPermission;
  /** False in Restricted Mode, in which no service is contacted. */
  readonly isTrusted: () => boolean;
}

/** Access for a user's explicit request; null in Restricted Mode. */
export async function accessNow(
  wanted: readonly ListKind[],
  { keys: { sources, variables: all }, isTrusted }: Omit<ServiceAccessOptions, "permission">,
): Promise<CatalogueAccess | null> {
  if (!isTrusted()) return null;
  const variables = serviceVariables(all());
  const keys: Record<string, RequestedKey> = {};
  for (const service of new Set(wanted.map(serviceOf))) {
    const key = await sources.valueFor(service);
    if (key !== null && key.host === hostIn(service, variables)) {
      keys[SERVICES[service].variable] = key;
    }
  }
  return { keys, variables };
}

/** Access for completion; also null if no service could answer or the user does not allow it. Asks the user on first use. */
export async function accessForCompletion(
  wanted: readonly ListKind[],
  options: ServiceAccessOptions,
): Promise<CatalogueAccess | null> {
  const { permission } = options;
  const access = await accessNow(wanted, options);
  if (access === null || !wanted.some((kind) => canLookUp(kind, access))) return null;
  return permission.isGiven() || (await permission.ask()) ? access : null;
}

function serviceOf(kind: ListKind): "openreward" | "tinker" {
  return kind === "environments" ? "openreward" : "tinker";
}
