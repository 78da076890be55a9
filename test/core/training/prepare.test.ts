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
function setUp(
  refusals: number,
  fault: Error,
  { model = "Qwen/Qwen3-8B", offered = null }: { model?: string; offered?: string[] | null } = {},
) {
  const clock = new FakeClock();
  const warnings: string[] = [];
  let asked = 0;
  const numTasks = async () => {
    asked += 1;
    if (asked <= refusals) throw fault;
    return 8;
  };
  const preparing = prepareRun({
    config: aConfig({ model_name: model }),
    service: {
      ...fakeService([]),
      capabilities: async () =>
        offered?.map((name) => ({
          name,
          maxContextLength: null,
          isTrainable: true,
          isSampleable: true,
        })) ?? null,
    },
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

describe("a model that the service does not train", () => {
  it.each([
    ["Qwen/Qwen3-32B", ["Qwen/Qwen3.6-27B"], /retired.*2026-06-12.*`Qwen\/Qwen3\.6-27B`/],
    // The service's own list is newer than the table.
    ["Qwen/Qwen3-32B", ["Qwen/Qwen4-32B"], /Did you mean Qwen\/Qwen4-32B\?/],
    ["Owner/Own-7B", ["Qwen/Qwen3-8B"], /It offers Qwen\/Qwen3-8B\./],
  ])("%s is refused where it offers %s", async (model, offered, words) => {
    const { clock, preparing } = setUp(0, FULL, { model, offered });
    await expect(clock.run(preparing)).rejects.toMatchObject({
      code: "model-not-offered",
      message: expect.stringMatching(words),
    });
  });
});
