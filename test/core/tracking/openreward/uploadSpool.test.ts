import { describe, expect, it } from "vitest";
import { runPaths, supersededFolder } from "../../../../src/core/runFolder/files/layout.ts";
import { waitingUploads } from "../../../../src/core/tracking/openreward/uploadLog.ts";
import { ALL, FOLDER, UploadWorld } from "./uploadWorld.ts";

/** A run whose first attempt has played and scored one step, with nothing sent yet. */
async function firstStepScored() {
  const world = new UploadWorld();
  await world.play(0);
  const first = world.attempt(1, 0);
  first.stepScored(0, ALL);
  return { world, first };
}

describe("scored rollouts", () => {
  it("are uploaded step by step, each once, as logged", async () => {
    const world = new UploadWorld();
    const spool = world.attempt(1, 0);
    for (const step of [0, 1]) {
      await world.play(step);
      spool.stepScored(step, ALL);
    }
    expect(await world.drain(spool)).toBe(0);
    world.expectOnce(2 * ALL);
    expect(await waitingUploads(world.disk, FOLDER)).toBe(0);
    expect(world.troubles).toEqual([]);
  });

  it("have unique names when a step has the same task twice", async () => {
    const world = new UploadWorld();
    const spool = world.attempt(1, 0);
    await world.play(0, { index: 7 });
    spool.stepScored(0, ALL);
    await world.drain(spool);
    world.expectOnce(ALL);
    expect(world.service.names).toContain("Owner/Game-train-7-step0-r0");
    expect(world.service.names).toContain("Owner/Game-train-7-step0-r0-g2");
  });

  it("are sent eight at a time", async () => {
    const world = new UploadWorld();
    let underWay = 0;
    let most = 0;
    world.service.fault = () => {
      underWay += 1;
      most = Math.max(most, underWay);
      queueMicrotask(() => {
        underWay -= 1;
      });
      return null;
    };
    const spool = world.attempt(1, 0);
    await world.play(0);
    spool.stepScored(0, ALL);
    await world.drain(spool);
    expect(most).toBeLessThanOrEqual(8);
    world.expectOnce(ALL);
  });
});

describe("a killed trainer", () => {
  /** Disk changes of one step's upload: opened, queued, two for each rollout, complete. */
  const writes = Array.from({ length: 3 + 2 * ALL + 1 }, (_, index) => index);

  it.each(writes)(
    "with %i lines in its log leaves the rest to the next one, without duplicates",
    async (count) => {
      const { world, first } = await firstStepScored();
      world.disk.allowedWrites = count;
      await world.drain(first);
      await first.close();
      world.disk.allowedWrites = Number.POSITIVE_INFINITY;
      const second = world.attempt(2, 1);
      expect(await world.drain(second)).toBe(0);
      world.expectOnce(ALL);
      expect(await waitingUploads(world.disk, FOLDER)).toBe(0);
    },
  );

  it.each([1, 5, 9, 16, 20, 24])(
    "during request %i of its uploads is recovered by the next one",
    async (post) => {
      const { world, first } = await firstStepScored();
      let hasDied: () => void = () => undefined;
      const died = new Promise<void>((resolve) => {
        hasDied = resolve;
      });
      world.service.fault = (count) => {
        if (count < post) return null;
        hasDied();
        return count % 2 === 0 ? "lost" : "broken";
      };
      await world.clock.run(died);
      await first.close();
      world.service.fault = () => null;
      const second = world.attempt(2, 1);
      expect(await world.drain(second)).toBe(0);
      world.expectOnce(ALL);
    },
  );

  it("may leave a partial line in the log", async () => {
    const { world, first } = await firstStepScored();
    await world.drain(first);
    const { uploads } = runPaths(FOLDER);
    const bytes = await world.disk.readBytes(uploads);
    await world.disk.truncate(uploads, bytes.length - 60);
    expect(await world.drain(world.attempt(2, 1))).toBe(0);
    expect(await world.disk.readText(uploads)).toMatch(/^\{"kind":"opened","attempt":2/m);
    expect(await world.drain(world.attempt(3, 1))).toBe(0);
    world.expectOnce(ALL);
  });
});

describe("steps that a resume repeats", () => {
  it("are not sent again if nothing differs", async () => {
    const { world, first } = await firstStepScored();
    await world.drain(first);
    await world.supersede(1, 0);
    const second = world.attempt(2, 0);
    await world.play(0, { startedAtMs: 99_000 });
    const requests = world.service.http.requests.length;
    second.stepScored(0, ALL);
    expect(await world.drain(second)).toBe(0);
    world.expectOnce(ALL);
    expect(world.service.http.requests).toHaveLength(requests);
  });

  it("are sent with the attempt in their names if they differ", async () => {
    const { world, first } = await firstStepScored();
    await world.drain(first);
    await world.supersede(1, 0);
    const second = world.attempt(2, 0);
    await world.play(0, { promptText: "Another prompt." });
    second.stepScored(0, ALL);
    await world.drain(second);
    world.expectOnce(2 * ALL);
    expect(world.service.names).toContain("Owner/Game-train-0-step0-r0-attempt2");
    const marked = [...world.service.rollouts.values()].flatMap(({ starts }) => starts).at(-1);
    expect(marked).toMatchObject({ metadata: { attempt: 2 } });
  });

  it("are sent by a later attempt, under the attempt that played them, if that one did not send them", async () => {
    const { world, first } = await firstStepScored();
    await world.drain(first);
    await world.supersede(1, 0);
    world.service.fault = () => "broken";
    const second = world.attempt(2, 0);
    await world.play(0, { promptText: "Another prompt." });
    second.stepScored(0, ALL);
    await world.drain(second, 10_000);
    await second.close();
    world.service.fault = () => null;
    expect(await world.drain(world.attempt(4, 1))).toBe(0);
    world.expectOnce(2 * ALL);
    expect(world.service.names).toContain("Owner/Game-train-2-step0-r3-attempt2");
  });

  it("leave no partial rollouts on the service, and no rollouts superseded before they were sent", async () => {
    const { world, first } = await firstStepScored();
    // Eight starts are accepted, then the service is gone.
    world.service.fault = (count) => (count > 8 ? "broken" : null);
    await world.drain(first, 10_000);
    await first.close();
    expect(world.service.rollouts.size).toBe(8);
    await world.supersede(1, 0);
    expect(await world.disk.list(`${supersededFolder(FOLDER, 1)}/rollouts`)).toHaveLength(2);
    world.service.fault = () => null;
    const second = world.attempt(2, 0);
    await world.play(0, { promptText: "Another prompt." });
    second.stepScored(0, ALL);
    expect(await world.drain(second)).toBe(0);
    world.expectOnce(8 + ALL);
  });
});

describe("a run whose service", () => {
  it("does not answer waits only a limited time at its end", async () => {
    const world = new UploadWorld();
    world.service.fault = () => "broken";
    await world.play(0);
    const spool = world.attempt(1, 0);
    spool.stepScored(0, ALL);
    expect(await world.drain(spool, 60_000)).toBe(ALL);
    await spool.close();
    expect(await waitingUploads(world.disk, FOLDER)).toBe(ALL);
    expect(world.troubles).toEqual([]);
  });

  it("rejects the key for a while uploads everything afterward", async () => {
    const world = new UploadWorld();
    world.service.fault = (posts) =>
      posts <= 16 ? { status: 401, json: { message: "Invalid API key" } } : null;
    const spool = world.attempt(1, 0);
    for (const step of [0, 1]) {
      await world.play(step);
      spool.stepScored(step, ALL);
    }
    await world.clock.advance(9 * 60_000);
    expect(world.service.posts).toBe(8);
    expect(await waitingUploads(world.disk, FOLDER)).toBe(2 * ALL);
    expect(await world.drain(spool)).toBe(0);
    expect(world.troubles).toEqual([]);
    world.expectOnce(2 * ALL);
  });

  it("refuses one rollout uploads the others, and retries that one in the next attempt", async () => {
    const world = new UploadWorld();
    world.service.fault = (_, [event]) =>
      event?.["rolloutName"] === "Owner/Game-train-1-step0-r2" ? { status: 422 } : null;
    const spool = world.attempt(1, 0);
    await world.play(0);
    spool.stepScored(0, ALL);
    expect(await world.drain(spool)).toBe(1);
    world.expectOnce(ALL - 1);
    expect(world.troubles).toEqual([{ kind: "refused", reason: "status 422" }]);
    world.service.fault = () => null;
    expect(await world.drain(world.attempt(2, 1))).toBe(0);
    world.expectOnce(ALL);
  });
});

it("a full disk ends the uploads, not the run", async () => {
  const world = new UploadWorld();
  await world.play(0);
  world.disk.allowedWrites = 4;
  const spool = world.attempt(1, 0);
  spool.stepScored(0, ALL);
  expect(await world.drain(spool)).toBeGreaterThan(0);
  expect(world.troubles).toEqual([{ kind: "failed", reason: "The power is gone." }]);
});
