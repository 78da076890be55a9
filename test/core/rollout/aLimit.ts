/** The limit of a rollout that may take any time; its parts still have theirs. */

import { type Deadline, deadline, timeoutError } from "../../../src/core/util/abort.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";

export function aLimit(clock = new FakeClock(), signal?: AbortSignal): Deadline {
  const onLimit = (): Error => timeoutError("The rollout", null);
  return deadline({ clock, limitMs: null, onLimit, parents: [signal] });
}
