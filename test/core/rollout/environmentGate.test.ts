import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { RemoteEnvironment } from "../../../src/core/openreward/types.ts";
import { FakeClock, settle } from "../../fakes/fakeClock.ts";
import { aGate } from "./builders.ts";
import { scriptedEnvironment } from "./scriptedEnvironment.ts";

const CHOICE = { split: "train", index: 0 };
const FOR_EVER = new AbortController().signal;
const FULL = new AppError("environment-capacity", "It is full.");

/** An environment that accepts `capacity` concurrent sessions and refuses more. */
function smallEnvironment(capacity: number, refusal: Readonly<Record<string, unknown>> = {}) {
  const inner = scriptedEnvironment();
  const seen = { open: 0, most: 0, refused: 0 };
  const remote: RemoteEnvironment = {
    ...inner,
    openSession: async (choice, options) => {
      if (seen.open >= capacity) {
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

/** Opens `count` sessions that stay open for a second each. */
async function openMany(
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
  it("opens no more sessions than configured", async () => {
    const clock = new FakeClock();
    const { remote, seen } = smallEnvironment(100);
    await clock.run(openMany(clock, aGate(remote, clock, 3), 10));
    expect(seen).toEqual({ open: 0, most: 3, refused: 0 });
  });

  it("lowers its limit to what the environment accepts, and eventually opens every session", async () => {
    const clock = new FakeClock();
    const { remote, seen } = smallEnvironment(6);
    const gate = aGate(remote, clock);
    await clock.run(openMany(clock, gate, 200));
    expect(seen.most).toBe(6);
    expect(gate.stats.limit).toBeLessThanOrEqual(12);
    expect(gate.stats.rejections).toBe(seen.refused);
    expect(seen.refused).toBeLessThan(600);
  });

  it("waits as long as the environment requests", async () => {
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

  it("respects a limit lowered below the number of open sessions, whatever the environment refuses", async () => {
    const clock = new FakeClock();
    const { remote } = smallEnvironment(3);
    const gate = aGate(remote, clock, 4);
    await Promise.all([1, 2, 3].map(() => gate.open(CHOICE, FOR_EVER)));
    const stopping = new AbortController();
    const refused = gate.open(CHOICE, stopping.signal);
    gate.setMaxSessions(2);
    await clock.advance(0);
    expect(gate.stats).toMatchObject({ limit: 2, rejections: 1 });
    stopping.abort();
    await expect(refused).rejects.toBe(stopping.signal.reason);
  });

  it("raises its limit again while the environment refuses nothing", async () => {
    const clock = new FakeClock();
    const { remote } = smallEnvironment(4);
    const gate = aGate(remote, clock, 8);
    await clock.run(openMany(clock, gate, 40));
    const low = gate.stats.limit;
    await clock.advance(60_000);
    await clock.run(openMany(clock, gate, 4));
    await clock.run(openMany(clock, gate, 4));
    expect(gate.stats.limit).toBeGreaterThan(low);
  });

  it("reports how long the environment has refused every session, until one is opened", async () => {
    const clock = new FakeClock();
    const { remote, seen } = smallEnvironment(0);
    const gate = aGate(remote, clock);
    const opened = gate.open(CHOICE, FOR_EVER);
    await clock.advance(30 * 60_000);
    expect(gate.outage).toMatchObject({ why: "full", sinceMs: 0 });
    seen.open = -1;
    gate.retryNow();
    await opened;
    expect(gate.outage).toBeNull();
  });

  it("releases the slot when a session cannot be opened for another reason", async () => {
    const clock = new FakeClock();
    const fault = new AppError("environment-auth", "No.");
    const gate = aGate(scriptedEnvironment([fault, {}]), clock, 1);
    await expect(gate.open(CHOICE, FOR_EVER)).rejects.toBe(fault);
    await expect(gate.open(CHOICE, FOR_EVER)).resolves.toHaveProperty("session");
  });
});

describe("a fault of an attempt", () => {
  const lost = new AppError("environment-session-lost", "gone");
  const refused = new AppError("environment-auth", "No.");

  function setUpFault(answer: () => Promise<readonly []>) {
    const clock = new FakeClock();
    let queries = 0;
    const splits = () => {
      queries += 1;
      return answer();
    };
    let releases = 0;
    const release = async () => {
      releases += 1;
    };
    const gate = aGate({ ...scriptedEnvironment(), splits, release }, clock);
    const blames = (fault: unknown, signal = FOR_EVER) => gate.blamesEnvironment(fault, signal);
    return { clock, gate, blames, queries: () => queries, releases: () => releases };
  }

  it("belongs to the rollout when the environment answers a query", async () => {
    const { blames, gate } = setUpFault(async () => []);
    expect(await blames(lost)).toBe(false);
    expect(gate.outage).toBeNull();
  });

  it.each([
    ["answered", async () => [] as const] as const,
    ["failed", () => Promise.reject(lost)] as const,
  ])("uses a session that no later query shares, when the query %s", async (_how, answer) => {
    const { blames, releases } = setUpFault(answer);
    await blames(lost);
    expect(releases()).toBe(1);
  });

  it("belongs to the rollout when the environment answers that it is full", async () => {
    const { blames } = setUpFault(() => Promise.reject(FULL));
    expect(await blames(lost)).toBe(false);
  });

  it("belongs to the environment when it does not answer, with one shared query", async () => {
    const { blames, gate, queries } = setUpFault(() => Promise.reject(lost));
    expect(await Promise.all([blames(lost), blames(lost)])).toEqual([true, true]);
    expect(await blames(lost)).toBe(true);
    expect(queries()).toBe(1);
    expect(gate.outage).toMatchObject({ why: "failing", fault: lost });
    expect(gate.stats.failures).toBe(1);
  });

  it("belongs to the environment when its answer takes too long", async () => {
    const clock = new FakeClock();
    const splits: RemoteEnvironment["splits"] = ({ signal } = {}) =>
      clock.sleep(40_000, signal).then(() => []);
    const gate = aGate({ ...scriptedEnvironment(), splits }, clock);
    expect(await clock.run(gate.blamesEnvironment(lost, FOR_EVER))).toBe(true);
    expect(clock.monotonic()).toBe(30_000);
  });

  it("causes no outage when the run is stopped during the query", async () => {
    const stopping = new AbortController();
    const { blames, gate } = setUpFault(() => {
      stopping.abort(refused);
      return Promise.reject(refused);
    });
    await expect(blames(lost, stopping.signal)).rejects.toBe(refused);
    expect(gate.outage).toBeNull();
  });

  it("belongs to the environment when it refuses a previously accepted key, without a query", async () => {
    const { blames, gate, queries } = setUpFault(async () => []);
    expect(await blames(refused)).toBe(false);
    await (await gate.open(CHOICE, FOR_EVER)).close();
    expect(await blames(refused)).toBe(true);
    expect(queries()).toBe(0);
  });

  it("belonging only to the task ends the outage once the environment answers again", async () => {
    let isDown = true;
    const { blames, gate, clock } = setUpFault(async () => {
      if (isDown) throw lost;
      return [];
    });
    expect(await blames(lost)).toBe(true);
    isDown = false;
    await clock.run(gate.open(CHOICE, FOR_EVER));
    expect(await blames(lost)).toBe(false);
    expect(gate.outage).toBeNull();
  });
});

describe("an environment that fails", () => {
  const gone = new AppError("environment-unavailable", "gone");
  const PROBE_MS = 30_000;

  /** Fails from the start; `pass` tries to open a session under a name. */
  async function setUpFailing() {
    const clock = new FakeClock();
    const gate = aGate({ ...scriptedEnvironment(), splits: () => Promise.reject(gone) }, clock);
    await gate.blamesEnvironment(gone, FOR_EVER);
    const passed: string[] = [];
    const pass = async (name: string, signal = FOR_EVER) => {
      await gate.open(CHOICE, signal);
      passed.push(name);
    };
    return { clock, gate, passed, pass };
  }

  it("is probed by one attempt after half a minute, and by all after a successful probe", async () => {
    const { clock, gate, passed, pass } = await setUpFailing();
    for (const name of ["a", "b", "c"]) void pass(name);
    await clock.advance(PROBE_MS - 1);
    expect(passed).toEqual([]);
    await clock.advance(10 * PROBE_MS);
    expect(passed).toEqual(["a"]);
    expect(await gate.blamesEnvironment(null, FOR_EVER)).toBe(false);
    await settle();
    expect(passed).toEqual(["a", "b", "c"]);
    expect(gate.outage).toBeNull();
    expect(clock.sleeping).toBe(0);
  });

  it("is probed again half a minute after a failed probe", async () => {
    const { clock, gate, passed, pass } = await setUpFailing();
    for (const name of ["a", "b"]) void pass(name);
    await clock.advance(PROBE_MS);
    expect(await gate.blamesEnvironment(gone, FOR_EVER)).toBe(true);
    await clock.advance(PROBE_MS - 1);
    expect(passed).toEqual(["a"]);
    await clock.advance(1);
    expect(passed).toEqual(["a", "b"]);
    expect(gate.outage).toMatchObject({ why: "failing", sinceMs: 0 });
    expect(gate.stats.failures).toBe(1);
  });

  it("is not considered recovered when an earlier attempt ends", async () => {
    const { gate } = await setUpFailing();
    await gate.blamesEnvironment(null, FOR_EVER);
    expect(gate.outage).not.toBeNull();
  });

  it("is not probed during a pause, but immediately after it", async () => {
    const { clock, gate, passed, pass } = await setUpFailing();
    void pass("a");
    gate.pauseProbes();
    await clock.advance(10 * PROBE_MS);
    expect(passed).toEqual([]);
    gate.retryNow();
    await settle();
    expect(passed).toEqual(["a"]);
    expect(gate.outage?.sinceMs).toBe(10 * PROBE_MS);
  });

  it("lets the next attempt probe when the first one was aborted", async () => {
    const { clock, passed, pass } = await setUpFailing();
    const stopping = new AbortController();
    const first = pass("a", stopping.signal);
    void pass("b");
    stopping.abort(gone);
    await expect(first).rejects.toBe(gone);
    await clock.advance(PROBE_MS);
    expect(passed).toEqual(["b"]);
  });

  it("makes a query wait for it, once it has opened a session", async () => {
    const clock = new FakeClock();
    const gate = aGate(scriptedEnvironment(), clock);
    await (await gate.open(CHOICE, FOR_EVER)).close();
    let asked = 0;
    const send = async () => {
      asked += 1;
      if (asked < 3) throw gone;
      return 8;
    };
    expect(await clock.run(gate.query(send, FOR_EVER))).toBe(8);
    expect(clock.monotonic()).toBe(2 * PROBE_MS);
  });
});
