import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { prepareRun } from "../../../src/core/training/prepare.ts";
import { sha256 } from "../../../src/node/hash.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { scriptedEnvironment } from "../rollout/scriptedEnvironment.ts";
import { aConfig } from "./builders.ts";
import { fakeService } from "./fakeContext.ts";

const FULL = new AppError("environment-capacity", "at maximum capacity");
const MINUTE_MS = 60_000;

/** The start of a run whose environment refuses the first queries with `fault`; a tokenizer that never loads keeps the run from starting. */
function setUp(refusals: number, fault: Error) {
  const clock = new FakeClock();
  const warnings: string[] = [];
  let asked = 0;
  const numTasks = async () => {
    asked += 1;
    if (asked <= refusals) throw fault;
    return 8;
  };
  const preparing = prepareRun({
    config: aConfig(),
    service: { ...fakeService([]), capabilities: async () => null },
    sha256,
    clock,
    random: { uuid: () => "", uniform: () => 0 },
    environment: () => ({ ...scriptedEnvironment(), numTasks }),
    loadModel: () => new Promise(() => undefined),
    secretsOf: async () => ({}),
    onPart: () => undefined,
    onWarning: (message) => void warnings.push(message),
  });
  return { clock, preparing, warnings: () => warnings.slice(1), asked: () => asked };
}

describe("a run whose environment is full before it begins", () => {
  it("asks again, and says so once", async () => {
    const { clock, warnings, asked } = setUp(3, FULL);
    await clock.advance(MINUTE_MS);
    expect(asked()).toBe(4);
    expect(warnings()).toEqual([
      expect.stringMatching(/^Owner\/Game is full, so the run waits up to 30 min .*maximum/),
    ]);
  });

  it("ends after half an hour with the refusal", async () => {
    const { clock, preparing } = setUp(Number.POSITIVE_INFINITY, FULL);
    await expect(clock.run(preparing)).rejects.toBe(FULL);
    expect(clock.monotonic()).toBe(30 * MINUTE_MS);
  });

  it("ends at once for any other reason", async () => {
    const refused = new AppError("environment-auth", "No.");
    const { clock, preparing } = setUp(1, refused);
    await expect(clock.run(preparing)).rejects.toBe(refused);
    expect(clock.monotonic()).toBe(0);
  });
});
