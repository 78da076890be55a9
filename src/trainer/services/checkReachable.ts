/** Checks early whether an environment server is reachable, while there is nothing to lose. */

import { AppError, errorMessage, isAppError } from "../../core/errors.ts";
import type { Clock, HttpClient } from "../../core/ports.ts";
import type { Backoff } from "../../core/util/backoff.ts";
import { retry } from "../../core/util/retry.ts";
import { withoutEnd } from "../../core/util/textEdges.ts";
import { systemRandom } from "../../node/random.ts";

export interface ReachabilityCheck {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** A path prefix is kept. */
  readonly url: string;
  /** Configuration key or variable with the address; null = built in. */
  readonly source: string | null;
  readonly signal: AbortSignal;
}

/** Time for all attempts together, so that a wrong address is reported within half a minute. */
const BUDGET_MS = 20_000;
const BACKOFF: Backoff = { firstMs: 500, maxMs: 4_000, jitter: 0 };

/**
 * Requests the server's health without a key; any answer counts. Leaves time for a server that is just starting.
 * @throws AppError `environment-unavailable`
 */
export async function checkReachable({
  http,
  clock,
  url,
  source,
  signal,
}: ReachabilityCheck): Promise<void> {
  const endsAtMs = clock.monotonic() + BUDGET_MS;
  await retry<void>(
    async () => {
      try {
        const response = await http.send({
          method: "GET",
          url: `${withoutEnd(url, /\//)}/health`,
          timeoutMs: endsAtMs - clock.monotonic(),
          signal,
        });
        await response.bytes();
        return { kind: "done", result: undefined };
      } catch (error) {
        if (!isAppError(error, "transport")) throw error;
        return { kind: "failed", error: unreachable({ url, source }, error) };
      }
    },
    { clock, random: systemRandom, signal, backoff: BACKOFF, budgetMs: BUDGET_MS },
  );
}

function unreachable({ url, source }: Pick<ReachabilityCheck, "url" | "source">, fault: AppError) {
  const reason = fault.cause === undefined ? "" : errorMessage(fault.cause);
  const words = reason === "" ? `no answer in ${BUDGET_MS / 1000} s` : reason;
  const origin = URL.canParse(url) ? new URL(url).origin : url;
  const step =
    source === null
      ? "Check the network and the proxy settings, then try again."
      : `Start the server, or correct ${source}. Then try again.`;
  return new AppError(
    "environment-unavailable",
    `The environments' server at ${origin} cannot be reached (${words}). ${step}`,
    { cause: fault },
  );
}
