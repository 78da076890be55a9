/** Where variables lead a service, and which host a key for it is bound to. */

import { findAddress, SERVICE_VARIABLES, SERVICES, type ServiceId } from "../services.ts";
import { withoutEnd } from "../util/textEdges.ts";
import { isSafeAddress } from "./hostBinding.ts";

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
  const lookUp = (name: string) => (values[name] ? { value: values[name] } : null);
  return findAddress(service, lookUp)?.value ?? null;
}

/** The host of the official service, as shown. */
export function officialHost(service: ServiceId): string {
  return new URL(SERVICES[service].urls[0]).host;
}

/** The host to bind a key to when it is used at `url`: null for the official service, and for what is no address. */
function hostOfAddress(service: ServiceId, url: string): string | null {
  if (!URL.canParse(url) || !/^https?:/i.test(url)) return null;
  const { host } = new URL(url);
  return SERVICES[service].urls.some((official) => new URL(official).host === host) ? null : host;
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
  if (host === null) return SERVICES[service].urls[0];
  const url = addressIn(service, variables) ?? "";
  return hostOfAddress(service, url) === host ? withoutEnd(url, /\//) : null;
}

/** The address that `values` lead a service to; null when it is unsafe for a key. */
export function safeAddress(service: ServiceId, values: Values): string | null {
  const url = addressFor(service, hostIn(service, values), values);
  return url !== null && isSafeAddress(url) ? url : null;
}

/** The catalogue is the `api.` twin of the sessions' host (`docs/protocols/openreward.md#addresses`); a server of one's own has none. */
export function catalogueAddress(values: Values): string | null {
  const sessions = safeAddress("openreward", values);
  if (sessions === null) return null;
  const { protocol, host } = new URL(sessions);
  return host.startsWith("sessions.")
    ? `${protocol}//${host.replace(/^sessions\./, "api.")}`
    : null;
}
