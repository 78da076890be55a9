/** Where a key's value was found, and how texts refer to it: by variable and origin, never by value. */

/** The editor's secret store, its window until closed, the process environment, or a `.env` file. */
export type KeyOrigin = "store" | "session" | "process" | "dotenv";

/** A value and where it was found. */
export interface FoundValue {
  readonly value: string;
  readonly origin: KeyOrigin;
  /** The host that a bound key is for; null = the official service's. Absent = not bound: the key goes to the configured address. */
  readonly host?: string | null;
}

export interface KeySource {
  /** The variable, for example `TINKER_API_KEY`. */
  readonly name: string;
  /** Null if it is not set. */
  readonly origin: KeyOrigin | null;
}

const ORIGINS: Readonly<Record<KeyOrigin, string>> = {
  store: "from the secret store",
  session: "kept until this window is closed",
  process: "from the process environment",
  dotenv: "from .env",
};

/** For example `set, from .env`. */
export function stateText(origin: KeyOrigin | null): string {
  return origin === null ? "not set" : `set, ${ORIGINS[origin]}`;
}

/** For example `ORS_API_KEY (from .env)`. */
export function keyText({ name, origin }: KeySource): string {
  return `${name} (${origin === null ? stateText(null) : ORIGINS[origin]})`;
}

export const OWN_KEYS: ReadonlySet<string> = new Set([
  "TINKER_API_KEY",
  "OPENREWARD_API_KEY",
  "ORS_API_KEY",
  "WANDB_API_KEY",
  "HF_TOKEN",
]);
