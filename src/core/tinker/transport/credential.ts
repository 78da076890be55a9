/** The value of the key header: the key itself, or a short-lived token obtained with it and kept only in memory. */

import { object, string } from "zod";
import type { Clock } from "../../ports.ts";
import { tinkerError } from "./errors.ts";

export interface CredentialOptions {
  readonly clock: Clock;
  readonly apiKey: string;
  /** Requests a token with the original key; resolves with the answer's text. */
  readonly exchange: (waitsForBills?: boolean) => Promise<string>;
  /** Called with each token, which is as secret as the key. */
  readonly onToken?: ((token: string) => void) | undefined;
}

interface Token {
  readonly value: string;
  readonly renewAtMs: number;
  readonly expiresAtMs: number;
}

/** If less than this remains of a token's life, it is renewed before the next request. */
const urgentMs = 60_000;
const renewalPauseMs = 60_000;

const tokenAnswer = object({ jwt: string() });

/** Renews at half-life, one exchange at a time, always with the original key: `docs/protocols/tinker.md#keys-and-tokens`. */
export class Credential {
  readonly #options: CredentialOptions;
  /** Null = the key itself is used. */
  #token: Token | null = null;
  #buying: Promise<Token> | null = null;

  constructor(options: CredentialOptions) {
    this.#options = options;
  }

  /** The value to send now. Starts renewing a token after half of its life, and waits for the new one in its last minute. */
  async current(): Promise<string> {
    const { apiKey, clock } = this.#options;
    const old = this.#token;
    if (old === null) return apiKey;
    const now = clock.now();
    if (now < old.renewAtMs) return old.value;
    if (old.expiresAtMs - now > urgentMs) {
      // Do not wait for a renewal that is not urgent, and ignore its failure.
      this.#token = { ...old, renewAtMs: now + renewalPauseMs };
      this.buy().catch(() => undefined);
      return old.value;
    }
    try {
      return (await this.buy()).value;
    } catch (error) {
      if (now < old.expiresAtMs) return old.value;
      throw error;
    }
  }

  /** Requests a token; until the first one arrives, the key is used. */
  buy(waitsForBills?: boolean): Promise<Token> {
    this.#buying ??= this.#exchange(waitsForBills).finally(() => {
      this.#buying = null;
    });
    return this.#buying;
  }

  /** Replaces a rejected token; returns the key if no tokens are in use. */
  async renew(refused: string): Promise<string> {
    const token = this.#token;
    if (token === null) return this.#options.apiKey;
    return token.value === refused ? (await this.buy()).value : token.value;
  }

  async #exchange(waitsForBills?: boolean): Promise<Token> {
    const { clock, exchange, onToken } = this.#options;
    const token = readToken(await exchange(waitsForBills), clock.now());
    this.#token = token;
    onToken?.(token.value);
    return token;
  }
}

function readToken(text: string, nowMs: number): Token {
  try {
    const { jwt } = tokenAnswer.parse(JSON.parse(text));
    const expiresAtMs = expiryMs(jwt);
    return { value: jwt, expiresAtMs, renewAtMs: nowMs + (expiresAtMs - nowMs) / 2 };
  } catch (cause) {
    // Not attached as the cause, because it may quote the token.
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
