/** Owns the `X-Secrets` header: what is in it and how it is encoded (ORS, section 4). */

/** Names under which OpenReward environments look for the user's key. */
const KEY_NAMES = ["api_key", "OPENREWARD_API_KEY"] as const;
const KEY_DOMAINS = ["sessions", "api", "search"].flatMap((role) => [
  `${role}.openreward.ai`,
  `${role}.openreward.internal`,
]);

interface WireSecret {
  readonly value: string;
  /** Hosts to which the platform lets the environment send the value. */
  readonly allowed_domains?: readonly string[];
}

/**
 * Base64 of `{name: {"value": ...}}`, or null when there is nothing to send. `openRewardKey` is added under the names
 * its environments expect; pass null for every other server.
 */
export function encodeSecrets(
  secrets: Readonly<Record<string, string>>,
  openRewardKey: string | null,
): string | null {
  const entries = new Map<string, WireSecret>();
  if (openRewardKey !== null) {
    for (const name of KEY_NAMES) {
      entries.set(name, { value: openRewardKey, allowed_domains: KEY_DOMAINS });
    }
  }
  for (const [name, value] of Object.entries(secrets)) entries.set(name, { value });
  if (entries.size === 0) return null;
  return btoa(asciiJson(Object.fromEntries(entries)));
}

/** `btoa` takes single bytes only, and the escapes mean the same characters. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
