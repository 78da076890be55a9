import { connectEnvironments } from "../../src/core/openreward/environments.ts";
import type { HttpClient } from "../../src/core/ports.ts";
import { systemClock } from "../../src/node/clock.ts";
import { systemRandom } from "../../src/node/random.ts";
import { silentLog } from "../fakes/silentLog.ts";

/** The environments of a server, with a key that must not reach any of them. */
export function environmentsAt(baseUrl: string, http: HttpClient) {
  return connectEnvironments({
    http,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    baseUrl,
    apiKey: "the-key",
    userAgent: "tinker-rl/test",
  });
}
