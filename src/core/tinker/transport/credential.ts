/** What goes into the key header: the key itself, or a short-lived token bought with it and kept in memory only. */

import { object, string } from "zod";
import type { Clock } from "../../ports.ts";
import { tinkerError } from "./errors.ts";

export interface CredentialOptions {
  readonly clock: Clock;
  readonly apiKey: string;
  /** Asks for a token with the original key; resolves with the answer's text. */
  readonly exchange: () => Promise<string>;
  /** Called with each token, which is as secret as the key. */
  readonly onToken?: ((token: string) => void) | undefined;
}

export interface Credential {
  /** The value to send now; begins to renew a token past half of its life, and waits for that in its last minute. */
  current(): Promise<string>;
  /** Buys the first token; until then the key is used. */
  start(): Promise<void>;
  /** Replaces a refused token; without tokens in use it returns the key. */
  renew(refused: string): Promise<string>;
}

interface Token {
  readonly value: string;
  readonly renewAtMs: number;
  readonly expiresAtMs: number;
}

/** With less of its life left, a token is renewed before the next request. */
const urgentMs = 60_000;
const renewalPauseMs = 60_000;

const tokenAnswer = object({ jwt: string() });

/** Renews at half life, one exchange at a time, always with the original key: `docs/protocols/tinker.md#keys-and-tokens`. */
export function createCredential({
  clock,
  apiKey,
  exchange,
  onToken,
}: CredentialOptions): Credential {
  let token: Token | null = null;
  let pending: Promise<Token> | null = null;

  function buy(): Promise<Token> {
    pending ??= exchange()
      .then((text) => {
        token = readToken(text, clock.now());
        onToken?.(token.value);
        return token;
      })
      .finally(() => {
        pending = null;
      });
    return pending;
  }

  /** No one waits for a renewal that is not urgent, nor for one that fails. */
  function renewLater(old: Token): void {
    token = { ...old, renewAtMs: clock.now() + renewalPauseMs };
    buy().catch(() => undefined);
  }

  return {
    current: async () => {
      if (token === null) return apiKey;
      const now = clock.now();
      if (now < token.renewAtMs) return token.value;
      const old = token;
      if (old.expiresAtMs - now > urgentMs) {
        renewLater(old);
        return old.value;
      }
      return await buy().then(
        (fresh) => fresh.value,
        (error: unknown) => {
          if (now < old.expiresAtMs) return old.value;
          throw error;
        },
      );
    },
    start: async () => {
      await buy();
    },
    renew: async (refused) => {
      if (token === null) return apiKey;
      return token.value === refused ? (await buy()).value : token.value;
    },
  };
}

function readToken(text: string, nowMs: number): Token {
  try {
    const { jwt } = tokenAnswer.parse(JSON.parse(text));
    const expiresAtMs = expiryMs(jwt);
    return { value: jwt, expiresAtMs, renewAtMs: nowMs + (expiresAtMs - nowMs) / 2 };
  } catch (cause) {
    // The cause may quote the token, so it is not passed on.
    throw tinkerError(
      "tinker-protocol",
      `The answer to POST auth/token has no readable token (${cause instanceof SyntaxError ? "not JSON" : "unknown form"})`,
    );
  }
}

function expiryMs(jwt: string): number {
  const payload = (jwt.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  const claims: unknown = JSON.parse(atob(payload));
  const exp = typeof claims === "object" && claims !== null && "exp" in claims ? claims.exp : null;
  return typeof exp === "number" ? exp * 1000 : Number.POSITIVE_INFINITY;
}
