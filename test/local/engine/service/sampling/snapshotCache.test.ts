import { describe, expect, it } from "vitest";
import type { Snapshot } from "../../../../../src/local/engine/engine.ts";
import { SnapshotCache } from "../../../../../src/local/engine/service/sampling/snapshotCache.ts";
import { FakeClock, settle } from "../../../../fakes/fakeClock.ts";
import { createFakeEngine } from "../../../../fakes/fakeEngine.ts";

function setUp(capacity: number) {
  const released: number[] = [];
  const engine = {
    ...createFakeEngine(),
    releaseSnapshot: (snapshot: Snapshot) => void released.push(snapshot.id),
  };
  return { cache: new SnapshotCache({ engine, capacity }), released };
}

const idOf = async (snapshot: Snapshot) => snapshot.id;
const loading = (id: number) => async () => ({ id });

describe("SnapshotCache", () => {
  it("releases the least recently used snapshot", async () => {
    const { cache, released } = setUp(2);
    cache.put("a", { id: 1 });
    cache.put("b", { id: 2 });
    await cache.use("a", null, idOf);
    cache.put("c", { id: 3 });
    await settle();
    expect(released).toEqual([2]);
    await expect(cache.use("b", null, idOf)).rejects.toThrow("The sampler b no longer exists");
  });

  it("reloads a saved one, once for all concurrent callers", async () => {
    const { cache } = setUp(1);
    let loads = 0;
    const load = async () => {
      loads += 1;
      return { id: 7 };
    };
    expect(await Promise.all([cache.use("a", load, idOf), cache.use("a", load, idOf)])).toEqual([
      7, 7,
    ]);
    await cache.use("b", loading(8), idOf);
    await cache.use("a", load, idOf);
    expect(loads).toBe(2);
  });

  it("retries after a failed load", async () => {
    const { cache } = setUp(1);
    const failing = () => Promise.reject(new Error("unreadable"));
    await expect(cache.use("a", failing, idOf)).rejects.toThrow("unreadable");
    expect(await cache.use("a", loading(4), idOf)).toBe(4);
  });

  it("keeps a snapshot in memory while it is in use, even when it was dropped", async () => {
    const { cache, released } = setUp(1);
    const clock = new FakeClock();
    cache.put("a", { id: 1 });
    const using = cache.use("a", null, () => clock.sleep(1));
    cache.put("b", { id: 2 });
    cache.drop("a");
    await settle();
    expect(released).not.toContain(1);
    await clock.run(using);
    await settle();
    expect(released).toContain(1);
  });
});
