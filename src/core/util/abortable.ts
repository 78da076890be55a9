/** Ports that end with a signal. */

import type { Clock, HttpClient } from "../ports.ts";

interface Ports {
  readonly http: HttpClient;
  readonly clock: Clock;
}

/** Requests and pauses that `signal` ends too; without one, `ports` as they are. */
export function abortable({ http, clock }: Ports, signal: AbortSignal | undefined): Ports {
  if (signal === undefined) return { http, clock };
  const either = (other: AbortSignal | undefined): AbortSignal =>
    other === undefined ? signal : AbortSignal.any([signal, other]);
  return {
    http: { send: (request) => http.send({ ...request, signal: either(request.signal) }) },
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, action) => clock.after(ms, action),
      sleep: (ms, other) => clock.sleep(ms, either(other)),
    },
  };
}
