/** Service addresses from variables, and the hosts that keys are bound to. */

import { findAddress, SERVICE_VARIABLES, SERVICES, type ServiceId } from "../services.ts";
import { withoutEnd } from "../util/textEdges.ts";
import { isSafeAddress } from "./hostBinding.ts";

/** Only the {@link SERVICE_VARIABLES}, to pass to a trainer. */
export function serviceVariables(values: Values): Values {
  return Object.fromEntries(
    SERVICE_VARIABLES.flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Values by variable name. */
export type Values = Readonly<Record<string, string>>;

/** The address that `values` give for a service; null = the official one. */
function addressIn(service: ServiceId, values: Values): string | null {
  const lookUp = (name: string) => (values[name] ? { value: values[name] } : null);
  return findAddress(service, lookUp)?.value ?? null;
}

/** The host of the official service, for display. */
export function officialHost(service: ServiceId): string {
  return new URL(SERVICES[service].urls[0]).host;
}

/** The host to bind a key to if it is used at `url`; null for the official service, and if `url` is not an address. */
function hostOfAddress(service: ServiceId, url: string): string | null {
  if (!URL.canParse(url) || !/^https?:/i.test(url)) return null;
  const { host } = new URL(url);
  return SERVICES[service].urls.some((official) => new URL(official).host === host) ? null : host;
}

/** The host that `values` direct this service's key to; null for the official one. */
export function hostIn(service: ServiceId, values: Values): string | null {
  return hostOfAddress(service, addressIn(service, values) ?? "");
}

/** The server address that a key bound to `host` is for; null if no variable leads to that host. */
export function addressFor(
  service: ServiceId,
  host: string | null,
  variables: Values,
): string | null {
  if (host === null) return SERVICES[service].urls[0];
  const url = addressIn(service, variables) ?? "";
  return hostOfAddress(service, url) === host ? withoutEnd(url, /\//) : null;
}

/** The address that `values` give for a service; null if it is unsafe for a key. */
export function safeAddress(service: ServiceId, values: Values): string | null {
  const url = addressFor(service, hostIn(service, values), values);
  return url !== null && isSafeAddress(url) ? url : null;
}

/** The `api.` counterpart of the sessions' host (`docs/protocols/openreward.md#addresses`); a private server has no catalogue. */
export function catalogueAddress(values: Values): string | null {
  const sessions = safeAddress("openreward", values);
  if (sessions === null) return null;
  const { protocol, host } = new URL(sessions);
  return host.startsWith("sessions.")
    ? `${protocol}//${host.replace(/^sessions\./, "api.")}`
    : null;
}
