/** Which servers are asked for names: those that runs would go to, by settings and variables. */

import { isSafeAddress } from "../../core/secrets/hostBinding.ts";
import { addressFor, hostIn, type Values } from "../keys/services.ts";
import type { ListKind } from "./storedLists.ts";

/** The address of the server that would be asked for a list of this kind; null when there is none. */
export function serverOf(kind: ListKind, values: Values): string | null {
  return kind === "environments" ? catalogueAddress(values) : tinkerAddress(values);
}

export function tinkerAddress(values: Values): string | null {
  return safe(addressFor("tinker", hostIn("tinker", values), values));
}

/** Where environments are played. */
export function sessionsAddress(values: Values): string | null {
  return safe(addressFor("openreward", hostIn("openreward", values), values));
}

/** The catalogue is the `api.` twin of the sessions' host (`docs/protocols/openreward.md#addresses`); a server of one's own has none. */
export function catalogueAddress(values: Values): string | null {
  const sessions = sessionsAddress(values);
  if (sessions === null) return null;
  const { protocol, host } = new URL(sessions);
  return host.startsWith("sessions.")
    ? `${protocol}//${host.replace(/^sessions\./, "api.")}`
    : null;
}

function safe(url: string | null): string | null {
  return url !== null && isSafeAddress(url) ? url : null;
}
