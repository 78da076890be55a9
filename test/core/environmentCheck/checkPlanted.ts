/** Checks a test environment as if it were served. */

import {
  checkEnvironment,
  type EnvironmentCheckOptions,
} from "../../../src/core/environmentCheck/checkEnvironment.ts";
import { connectEnvironments } from "../../../src/core/openreward/environments.ts";
import { systemClock } from "../../../src/node/clock.ts";
import { systemRandom } from "../../../src/node/random.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { startServer } from "../../local/environment/server/running.ts";
import type { Planted } from "./plantedDefects.ts";

/** The report of the checks with the ids `only`; default: all. */
export async function checkPlanted(
  planted: Pick<Planted, "environment" | "http" | "limits">,
  only?: readonly string[],
  changes: Partial<EnvironmentCheckOptions> = {},
) {
  const { environment, http = (inner) => inner, limits } = planted;
  const running = await startServer({ environments: [environment], apiKey: null }, "socket");
  const remote = connectEnvironments({
    http: http(running.http),
    clock: systemClock,
    random: { ...systemRandom, uniform: () => 0 },
    log: silentLog,
    baseUrl: running.baseUrl,
    apiKey: null,
    userAgent: "tinker-rl/test",
  }).environment(`local/${environment.name}`);
  return checkEnvironment({
    remote,
    clock: systemClock,
    seed: 1,
    tasks: 32,
    split: null,
    secrets: {},
    maxTotalTokens: null,
    limits,
    only,
    ...changes,
  });
}
