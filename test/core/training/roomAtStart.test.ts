import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { askWhenThereIsRoom } from "../../../src/core/training/roomAtStart.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";

const full = new AppError("environment-capacity", "at maximum capacity");

function setUp(refusals: number, fault: Error = full) {
  const clock = new FakeClock();
  const warnings: string[] = [];
  let asked = 0;
  const ask = async () => {
    asked += 1;
    if (asked <= refusals) throw fault;
    return 8;
  };
  const parts = { clock, onWarning: (message: string) => void warnings.push(message) };
  return { clock, warnings, answer: () => clock.run(askWhenThereIsRoom(parts, "Owner/Game", ask)) };
}

describe("a question before a run begins", () => {
  it("is asked again while the environment is full, which is said once", async () => {
    const { answer, warnings, clock } = setUp(3);
    expect(await answer()).toBe(8);
    expect(clock.monotonic()).toBe(45_000);
    expect(warnings).toEqual([expect.stringMatching(/^Owner\/Game has no room yet.*maximum/)]);
  });

  it("fails after half an hour, and at once for any other reason", async () => {
    await expect(setUp(Number.POSITIVE_INFINITY).answer()).rejects.toBe(full);
    const refused = new AppError("environment-auth", "No.");
    const { answer, clock } = setUp(1, refused);
    await expect(answer()).rejects.toBe(refused);
    expect(clock.monotonic()).toBe(0);
  });
});
