/** Which servers are asked for names: those that runs would go to, by settings and variables. */

import { catalogueAddress, safeAddress, type Values } from "../../core/secrets/serviceHosts.ts";
import type { ListKind } from "./storedLists.ts";

/** The address of the server that would be asked for a list of this kind; null when there is none. */
export function serverOf(kind: ListKind, values: Values): string | null {
  return kind === "environments" ? catalogueAddress(values) : safeAddress("tinker", values);
}
