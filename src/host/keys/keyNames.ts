/** Known keys, their ids in the secret store, and their variables. */

import { SERVICES, type ServiceId } from "../../core/services.ts";

/** A key's id in the secret store; `env:NAME` is any other variable, in upper case. */
export type KeyId = ServiceId | `env:${string}`;

export const SERVICE_IDS = Object.keys(SERVICES) as readonly ServiceId[]; // the keys of a record that is written out

const OTHER_PREFIX = "env:";
const VARIABLE = /^[A-Z_][A-Z0-9_.-]{0,99}$/;

export function isServiceId(text: string): text is ServiceId {
  return Object.hasOwn(SERVICES, text);
}

/** True if the text can be one of our entries in the secret store. */
export function isKeyId(text: string): text is KeyId {
  if (isServiceId(text)) return true;
  const name = text.slice(OTHER_PREFIX.length);
  const isOther = SERVICE_IDS.every((id) => SERVICES[id].variable !== name);
  return text.startsWith(OTHER_PREFIX) && VARIABLE.test(name) && isOther;
}

/** The id for a variable, case-insensitively; null if it is not a valid name. */
export function keyIdOf(variable: string): KeyId | null {
  const name = variable.toUpperCase();
  const service = SERVICE_IDS.find((id) => SERVICES[id].variable === name);
  if (service !== undefined) return service;
  return VARIABLE.test(name) ? `${OTHER_PREFIX}${name}` : null;
}

/** The variable that a key is passed as. */
export function variableOf(id: KeyId): string {
  return isServiceId(id) ? SERVICES[id].variable : id.slice(OTHER_PREFIX.length);
}
