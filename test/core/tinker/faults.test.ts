/** Every service fault in each phase of a call: what is retried, after which delays, and how it ends. */

import { describe, expect, it } from "vitest";
import { faultReaction } from "../../../src/core/rollout/faults.ts";
import {
  isSessionLost,
  operationRefused,
  requestFailed,
} from "../../../src/core/tinker/transport/errors.ts";
import { withinProcess } from "../../conformance/faultTransport.ts";
import { testFaults } from "../../conformance/tinkerFaultTests.ts";

// Within the process they are the same as a reset.
testFaults(withinProcess, ["truncate", "hang"]);

/** SkyRL's errors for a model that it unloaded or lost in a restart: skyrl/tinker/engine.py. */
const UNLOADED = [
  "Model model_1a2b3c4d not loaded",
  "Model model_1a2b3c4d not loaded (likely stale request from previous server)",
];

describe.each(UNLOADED)("an operation that fails because its %s", (text) => {
  it.each([
    ["by the answer to its polls", operationRefused("Sample 7", JSON.stringify({ detail: text }))],
    ["by its result", requestFailed("OptimStep 8", text, "server")],
  ])(
    "shows that the session is lost, %s, instead of failing rollouts one after the other",
    (_, error) => {
      expect(faultReaction(error)).toBe("end-run");
      expect(isSessionLost(error)).toBe(true);
      expect(error.message).toContain(
        `${text}. Start again; a run is resumed from its last checkpoint.`,
      );
    },
  );
});

it("an operation that fails for another reason does not end the session", () => {
  const error = operationRefused("Sample 7", JSON.stringify({ detail: "Adapter not loaded yet" }));
  expect([faultReaction(error), isSessionLost(error)]).toEqual(["retry", false]);
});
