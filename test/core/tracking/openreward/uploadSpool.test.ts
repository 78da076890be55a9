import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { runPaths, supersededFolder } from "../../../../src/core/runFolder/layout.ts";
import type { RolloutRecord } from "../../../../src/core/runFolder/rolloutRecord.ts";
import { createRolloutStore } from "../../../../src/core/runFolder/rolloutStore.ts";
import { supersedeFrom } from "../../../../src/core/runFolder/supersede.ts";
import { Redactor } from "../../../../src/core/secrets/redaction/redactor.ts";
import { describeRollout } from "../../../../src/core/tracking/openreward/describeRollout.ts";
import { UploadBackoff } from "../../../../src/core/tracking/openreward/uploadBackoff.ts";
import { UploadClient } from "../../../../src/core/tracking/openreward/uploadClient.ts";
import { deliverRollout } from "../../../../src/core/tracking/openreward/uploadDelivery.ts";
import { waitingUploads } from "../../../../src/core/tracking/openreward/uploadLog.ts";
import {
  type UploadProblem,
  UploadSpool,
} from "../../../../src/core/tracking/openreward/uploadSpool.ts";
import { FakeClock } from "../../../fakes/fakeClock.ts";
import { UploadService } from "../../openreward/uploadService.ts";
import { aRecord } from "../../runFolder/builders.ts";
import { createMemoryFileSystem } from "../../runFolder/memoryFileSystem.ts";
import { aConfig } from "../../training/builders.ts";

const FOLDER = "run";
const GROUPS = 3;
const SIZE = 4;
const ALL = GROUPS * SIZE;

/** A run folder and a service, between which attempts come and go. */
class World {
  readonly service = new UploadService();
  readonly clock = new FakeClock();
  readonly disk = createMemoryFileSystem();
  readonly troubles: UploadProblem[] = [];

  /** Plays and scores a step; `changes` says what is different from other attempts. */
  async play(step: number, changes: Partial<RolloutRecord> = {}): Promise<void> {
    const parts = { fileSystem: this.disk, redactor: new Redactor(), folder: FOLDER };
    const store = createRolloutStore(parts);
    const places = Array.from({ length: ALL }, (_, at) => {
      return { group: Math.floor(at / SIZE), rollout: at % SIZE };
    });
    for (const { group, rollout } of places) {
      const record = aRecord({ step, group, rollout, index: group, environment: "Owner/Game" });
      await store.addRollout({ ...record, ...changes });
    }
    const scores = places.map((place) => ({
      ...place,
      advantage: 1,
      trainingUse: "trained" as const,
    }));
    await store.addScores(step, scores);
  }

  attempt(attempt: number, firstStep: number): UploadSpool {
    const { service, clock, disk } = this;
    const random = { uuid: () => "", uniform: () => 1 };
    const ignore = (): void => undefined;
    const backoff = new UploadBackoff({
      ...{ clock, random, onOutage: ignore, onDenied: ignore, onRecovered: ignore },
    });
    const client = new UploadClient({
      ...{ http: service.http, clock, apiUrl: "https://api.test", apiKey: "k", userAgent: "t" },
    });
    const settings = {
      sha256: (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex"),
      ...{ runId: "id", runName: "run", config: aConfig() },
      framework: ["tinker-rl", "1"],
    } as const;
    return new UploadSpool({
      ...{ fileSystem: disk, clock, folder: FOLDER, attempt, firstStep },
      describe: (record, score, suffix) => describeRollout(record, score, settings, suffix),
      deliver: (rollout, options) => deliverRollout({ client, backoff }, rollout, options),
      onOutage: (trouble) => this.troubles.push(trouble),
    });
  }

  drain(spool: UploadSpool, limitMs = 1e9): Promise<number> {
    const options = { limitMs, shouldGiveUp: () => false, onProgress: () => undefined };
    return this.clock.run(spool.drain(options));
  }

  /** What a resume does with the steps that it repeats. */
  supersede(attempt: number, step: number): Promise<void> {
    return supersedeFrom(this.disk, { folder: FOLDER, attempt, step });
  }

  expectOnce(rollouts: number): void {
    const taken = [...this.service.rollouts.values()];
    expect(taken).toHaveLength(rollouts);
    for (const { starts, messages, updates } of taken) {
      expect([starts.length, messages.length, updates.length]).toEqual([1, 4, 1]);
    }
    expect(new Set(this.service.names).size).toBe(rollouts);
  }
}

describe("rollouts that are scored", () => {
  it("are uploaded step by step, each once, and the log says so", async () => {
    const world = new World();
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

  it("have a name of their own when a step has a task twice", async () => {
    const world = new World();
    const spool = world.attempt(1, 0);
    await world.play(0, { index: 7 });
    spool.stepScored(0, ALL);
    await world.drain(spool);
    world.expectOnce(ALL);
    expect(world.service.names).toContain("Owner/Game-train-7-step0-r0");
    expect(world.service.names).toContain("Owner/Game-train-7-step0-r0-g2");
  });

  it("go eight at a time", async () => {
    const world = new World();
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

describe("a trainer that is killed", () => {
  /** Changes of the disk that one step's upload makes: opened, queued, two for each rollout, complete. */
  const writes = Array.from({ length: 3 + 2 * ALL + 1 }, (_, index) => index);

  it.each(writes)(
    "after %i lines of its log leaves the rest to the next, and nothing goes twice",
    async (count) => {
      const world = new World();
      await world.play(0);
      const first = world.attempt(1, 0);
      first.stepScored(0, ALL);
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
    "amid request %i of its uploads is made good by the next",
    async (post) => {
      const world = new World();
      await world.play(0);
      const first = world.attempt(1, 0);
      first.stepScored(0, ALL);
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

  it("may leave half a line in the log", async () => {
    const world = new World();
    await world.play(0);
    const first = world.attempt(1, 0);
    first.stepScored(0, ALL);
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
  it("are not sent again when nothing differs", async () => {
    const world = new World();
    await world.play(0);
    const first = world.attempt(1, 0);
    first.stepScored(0, ALL);
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

  it("are sent, marked by their attempt, when they differ", async () => {
    const world = new World();
    await world.play(0);
    const first = world.attempt(1, 0);
    first.stepScored(0, ALL);
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

  it("are sent by a later attempt, as of the one that played them, when that one did not come to it", async () => {
    const world = new World();
    await world.play(0);
    const first = world.attempt(1, 0);
    first.stepScored(0, ALL);
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

  it("leave no rollout as a half at the service, and none that was superseded before it was sent", async () => {
    const world = new World();
    await world.play(0);
    const first = world.attempt(1, 0);
    first.stepScored(0, ALL);
    // Eight starts are taken, then the service is gone.
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
  it("does not answer waits at its end for so long and no longer", async () => {
    const world = new World();
    world.service.fault = () => "broken";
    await world.play(0);
    const spool = world.attempt(1, 0);
    spool.stepScored(0, ALL);
    expect(await world.drain(spool, 60_000)).toBe(ALL);
    await spool.close();
    expect(await waitingUploads(world.disk, FOLDER)).toBe(ALL);
    expect(world.troubles).toEqual([]);
  });

  it("denies the key for a while gets everything afterwards", async () => {
    const world = new World();
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

  it("refuses one rollout gets the others, and that one from the next attempt", async () => {
    const world = new World();
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

it("a disk that is full ends the uploads, not the run", async () => {
  const world = new World();
  await world.play(0);
  world.disk.allowedWrites = 4;
  const spool = world.attempt(1, 0);
  spool.stepScored(0, ALL);
  expect(await world.drain(spool)).toBeGreaterThan(0);
  expect(world.troubles).toEqual([{ kind: "failed", reason: "The power is gone." }]);
});
