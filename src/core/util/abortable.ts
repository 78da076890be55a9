/** Wraps ports so that a signal aborts them. */

import type { Clock, HttpClient } from "../ports.ts";

interface Ports {
  readonly http: HttpClient;
  readonly clock: Clock;
}

/** Requests and sleeps that `signal` also aborts; without a signal, the ports unchanged. */
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
