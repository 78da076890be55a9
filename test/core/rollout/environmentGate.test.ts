import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { RemoteEnvironment } from "../../../src/core/openreward/types.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { aGate } from "./aGate.ts";
import { scriptedEnvironment } from "./scriptedEnvironment.ts";

const CHOICE = { split: "train", index: 0 };
const FOR_EVER = new AbortController().signal;

/** An environment that holds `room` sessions and refuses more. */
function smallEnvironment(room: number, refusal: Readonly<Record<string, unknown>> = {}) {
  const inner = scriptedEnvironment();
  const seen = { open: 0, most: 0, refused: 0 };
  const remote: RemoteEnvironment = {
    ...inner,
    openSession: async (choice, options) => {
      if (seen.open >= room) {
        seen.refused += 1;
        throw new AppError("environment-capacity", "It is full.", { data: refusal });
      }
      seen.open += 1;
      seen.most = Math.max(seen.most, seen.open);
      const session = await inner.openSession(choice, options);
      const close = async () => {
        seen.open -= 1;
        await session.close();
      };
      return { ...session, close };
    },
  };
  return { remote, seen };
}

/** Opens `count` sessions that are held for a second each. */
async function visits(
  clock: FakeClock,
  gate: ReturnType<typeof aGate>,
  count: number,
): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async () => {
      const { close } = await gate.open(CHOICE, new AbortController().signal);
      await clock.sleep(1_000);
      await close();
    }),
  );
}

describe("the gate of an environment", () => {
  it("opens no more sessions than the configuration allows", async () => {
    const clock = new FakeClock();
    const { remote, seen } = smallEnvironment(100);
    await clock.run(visits(clock, aGate(remote, clock, 3), 10));
    expect(seen).toEqual({ open: 0, most: 3, refused: 0 });
  });

  it("comes down to what the environment holds, and everyone gets in", async () => {
    const clock = new FakeClock();
    const { remote, seen } = smallEnvironment(6);
    const gate = aGate(remote, clock);
    await clock.run(visits(clock, gate, 200));
    expect(seen.most).toBe(6);
    expect(gate.stats.limit).toBeLessThanOrEqual(12);
    expect(gate.stats.rejections).toBe(seen.refused);
    expect(seen.refused).toBeLessThan(600);
  });

  it("waits as long as the environment asks", async () => {
    const clock = new FakeClock();
    const { remote, seen } = smallEnvironment(1, { retryAfterMs: 7_000 });
    const gate = aGate(remote, clock);
    const first = await gate.open(CHOICE, FOR_EVER);
    const second = gate.open(CHOICE, FOR_EVER);
    await clock.advance(0);
    await first.close();
    await clock.advance(6_999);
    expect(seen.open).toBe(0);
    await clock.advance(1);
    await second;
    expect(seen.open).toBe(1);
    expect(gate.stats.waitS).toBe(7);
  });

  it("rises again while the environment has room", async () => {
    const clock = new FakeClock();
    const { remote } = smallEnvironment(4);
    const gate = aGate(remote, clock, 8);
    await clock.run(visits(clock, gate, 40));
    const low = gate.stats.limit;
    await clock.advance(60_000);
    await clock.run(visits(clock, gate, 4));
    await clock.run(visits(clock, gate, 4));
    expect(gate.stats.limit).toBeGreaterThan(low);
  });

  it("says since when it has had no room for a single session, until one is opened", async () => {
    const clock = new FakeClock();
    const { remote, seen } = smallEnvironment(0);
    const gate = aGate(remote, clock);
    const opened = gate.open(CHOICE, FOR_EVER);
    await clock.advance(30 * 60_000);
    expect(gate.unavailability).toMatchObject({ why: "full", sinceMs: 0 });
    seen.open = -1;
    gate.retryNow();
    await opened;
    expect(gate.unavailability).toBeNull();
  });

  it("gives the place back when a session cannot be opened for another reason", async () => {
    const clock = new FakeClock();
    const fault = new AppError("environment-auth", "No.");
    const gate = aGate(scriptedEnvironment([fault, {}]), clock, 1);
    await expect(gate.open(CHOICE, FOR_EVER)).rejects.toBe(fault);
    await expect(gate.open(CHOICE, FOR_EVER)).resolves.toHaveProperty("session");
  });
});
