/** Which host a key for a service is bound to. */

import { findAddress, SERVICE_VARIABLES, SERVICES, type ServiceId } from "../../core/services.ts";
import { withoutEnd } from "../../core/util/textEdges.ts";

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
