/** Where the value of a key was found, and how texts name it: by its variable and origin, never by the value. */

/** The secret store of an editor, its window until that is closed, the environment of the process, or a `.env` file. */
export type KeyOrigin = "store" | "session" | "process" | "dotenv";

/** A value that was looked up, and where it was found. */
export interface FoundValue {
  readonly value: string;
  readonly origin: KeyOrigin;
  /** The host that a bound key is for; null = that of the official service. Absent = the key is not bound and goes to the configured address. */
  readonly host?: string | null;
}

export interface KeySource {
  /** The variable, for example `TINKER_API_KEY`. */
  readonly name: string;
  /** Null when it is not set anywhere. */
  readonly origin: KeyOrigin | null;
}

const ORIGINS: Readonly<Record<KeyOrigin, string>> = {
  store: "from the secret store",
  session: "kept until this window is closed",
  process: "from the process environment",
  dotenv: "from .env",
};

/** `set, from .env`. */
export function stateText(origin: KeyOrigin | null): string {
  return origin === null ? "not set" : `set, ${ORIGINS[origin]}`;
}

/** `ORS_API_KEY (from .env)`. */
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
