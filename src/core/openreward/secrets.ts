/** Content and encoding of the `X-Secrets` header: `docs/protocols/openreward.md#secrets`. */

import { withoutUndefined } from "../../shared/withoutUndefined.ts";

/** Names under which OpenReward environments expect the user's key. */
const KEY_NAMES = ["api_key", "OPENREWARD_API_KEY"] as const;
const KEY_DOMAINS = ["sessions", "api", "search"].flatMap((role) => [
  `${role}.openreward.ai`,
  `${role}.openreward.internal`,
]);

const HUGGING_FACE = ["huggingface.co", "api-inference.huggingface.co"];
const GOOGLE = ["generativelanguage.googleapis.com"];
const KAGGLE = ["www.kaggle.com"];
const MODAL = ["api.modal.com"];

/** Hosts for well-known secret names (upper or lower case), as in `api/sandboxes/secrets.py` of the package `openreward` 0.1.167. */
const WELL_KNOWN_HOSTS: Readonly<Record<string, readonly string[]>> = {
  OPENAI_API_KEY: ["api.openai.com"],
  ANTHROPIC_API_KEY: ["api.anthropic.com"],
  GEMINI_API_KEY: GOOGLE,
  TAVILY_API_KEY: ["api.tavily.com"],
  GOOGLE_API_KEY: GOOGLE,
  COHERE_API_KEY: ["api.cohere.com"],
  MISTRAL_API_KEY: ["api.mistral.ai"],
  GROQ_API_KEY: ["api.groq.com"],
  TOGETHER_API_KEY: ["api.together.xyz"],
  REPLICATE_API_TOKEN: ["api.replicate.com"],
  HUGGINGFACE_API_KEY: HUGGING_FACE,
  HF_TOKEN: HUGGING_FACE,
  HUGGING_FACE_HUB_TOKEN: HUGGING_FACE,
  PERPLEXITY_API_KEY: ["api.perplexity.ai"],
  FIREWORKS_API_KEY: ["api.fireworks.ai"],
  DEEPSEEK_API_KEY: ["api.deepseek.com"],
  KAGGLE_KEY: KAGGLE,
  KAGGLE_USERNAME: KAGGLE,
  KAGGLE_API_KEY: KAGGLE,
  E2B_API_KEY: ["api.e2b.app"],
  MODAL_TOKEN_ID: MODAL,
  MODAL_TOKEN_SECRET: MODAL,
  DAYTONA_API_KEY: ["app.daytona.io"],
  GH_AUTH_TOKEN: [
    "github.com",
    "api.github.com",
    "uploads.github.com",
    "objects.githubusercontent.com",
    "raw.githubusercontent.com",
  ],
  API_KEY: KEY_DOMAINS,
  OPENREWARD_API_KEY: KEY_DOMAINS,
};

interface WireSecret {
  readonly value: string;
  /** Hosts to which the platform lets the environment send the value. */
  readonly allowed_domains?: readonly string[];
}

/**
 * Base64 of `{name: {"value": ..., "allowed_domains": [...]}}`, or null when there is nothing to send. A value has the hosts of its
 * well-known name, if any. `openRewardKey` is added under the names that OpenReward's environments expect; pass null for other servers.
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
  for (const [name, value] of Object.entries(secrets)) {
    entries.set(name, withoutUndefined({ value, allowed_domains: wellKnownHosts(name) }));
  }
  if (entries.size === 0) return null;
  return btoa(asciiJson(Object.fromEntries(entries)));
}

function wellKnownHosts(name: string): readonly string[] | undefined {
  const isOneCase = name === name.toUpperCase() || name === name.toLowerCase();
  return isOneCase ? WELL_KNOWN_HOSTS[name.toUpperCase()] : undefined;
}

/** `btoa` accepts only single bytes; the escapes encode the same characters. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
