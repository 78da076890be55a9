/** How messages name a key: by its variable and where its value was found, never by the value. */

/** A value that was looked up, and where it was found. */
export interface FoundValue {
  readonly value: string;
  readonly origin: "store" | "process" | "dotenv";
  /** The host that a bound key is for; null = that of the official service. Absent = the key is not bound and goes to the configured address. */
  readonly host?: string | null;
}

export interface KeySource {
  /** The variable, for example `TINKER_API_KEY`. */
  readonly name: string;
  /** Null when it is not set anywhere. */
  readonly origin: FoundValue["origin"] | null;
}

const PLACES: Readonly<Record<FoundValue["origin"], string>> = {
  store: "from the secret store",
  process: "from the process environment",
  dotenv: "from .env",
};

/** `ORS_API_KEY (from .env)`. */
export function keyText({ name, origin }: KeySource): string {
  return `${name} (${origin === null ? "not set" : PLACES[origin]})`;
}
