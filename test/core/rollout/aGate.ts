/** Builds the gate of a scripted environment. */

import type { RemoteEnvironment } from "../../../src/core/openreward/types.ts";
import type { Clock } from "../../../src/core/ports.ts";
import { EnvironmentGate } from "../../../src/core/rollout/environmentGate.ts";

export function aGate(
  remote: RemoteEnvironment,
  clock: Clock,
  maxSessions = Number.POSITIVE_INFINITY,
): EnvironmentGate {
  return new EnvironmentGate({
    remote,
    clock,
    maxSessions,
    random: { uuid: () => "id", uniform: () => 0 },
  });
}
