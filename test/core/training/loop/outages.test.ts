import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/core/config/fields/schema.ts";
import { AppError } from "../../../../src/core/errors.ts";
import { environmentOf } from "../../../../src/core/training/run/context.ts";
import type { ScriptedEnvironment } from "../../rollout/scriptedEnvironment.ts";
import { anEvaluation, ENVIRONMENT } from "../builders.ts";
import { type ContextOptions, linesOf, PATHS } from "../fakeContext.ts";
import { comparableRows, prepareRun, requestsOf, rewarding } from "./prepareRun.ts";

describe("a loop whose environment service fails", () => {
  const gone = new AppError("environment-unavailable", "connect ECONNREFUSED");
  const BEFORE_GIVING_UP_MS = 30 * 60_000;

  interface OutageOptions {
    readonly steps: number | null;
    /** This many sessions open (two per step), and no more until `recover` is called. */
    readonly sessions: number;
    readonly capabilities?: ContextOptions["capabilities"];
    readonly stepsAhead?: number;
    readonly config?: Partial<Config>;
  }

  function prepareOutage(options: OutageOptions) {
    const { steps, sessions, capabilities = async () => [], stepsAhead = 0 } = options;
    const inner = rewarding();
    let isOver = false;
    let opened = 0;
    let refused = 0;
    const remote: ScriptedEnvironment = {
      ...inner,
      splits: async () => {
        throw gone;
      },
      openSession: async (...choice) => {
        if (opened >= sessions && !isOver) {
          refused += 1;
          throw gone;
        }
        opened += 1;
        return inner.openSession(...choice);
      },
    };
    const config = { max_steps_off_policy: stepsAhead, ...options.config };
    const run = prepareRun({ steps, remote, capabilities, config });
    const { progress, recorded } = run.context;
    const recover = () => {
      isOver = true;
    };
    // Ignores the warning about the unchecked loss.
    const kinds = () => recorded.map(({ kind }) => kind).filter((kind) => kind !== "server-probed");
    const warnings = () =>
      progress.flatMap((event) => (event.kind === "warning" ? [event.message] : []));
    return { ...run, recover, kinds, warnings, refused: () => refused };
  }

  it.each([
    ["before a step", 2],
    ["during a step", 3],
  ])("%s pauses with the last step saved, and continues unchanged", async (_, sessions) => {
    const undisturbed = prepareRun();
    await undisturbed.run();
    const failing = prepareOutage({ steps: 3, sessions });
    const { context, warnings, kinds } = failing;
    const ended = failing.start();
    await context.clock.advance(20_000);
    expect(context.phases).toEqual(["paused"]);
    expect(kinds()).toEqual(["circuit-open"]);
    expect(warnings()).toEqual([
      expect.stringMatching(
        /server at http:\/\/games\.test failed: .*Start the server again.* step 2 /,
      ),
    ]);
    expect(failing.saves()).toEqual(["manual_000001"]);
    expect(await failing.state()).toMatchObject({ step: 1, dataset: { cursor: 1 } });
    failing.recover();
    expect(await context.clock.run(ended)).toMatchObject({ outcome: "done", step: 3 });
    expect(context.phases).toEqual(["paused", "running"]);
    expect(requestsOf(failing)).toEqual(requestsOf(undisturbed));
    expect(context.client.lossCalls).toEqual(undisturbed.context.client.lossCalls);
    expect(comparableRows(failing)).toEqual(comparableRows(undisturbed));
    const counters = (await undisturbed.state())?.counters;
    // The run checks its environments once a second, so the pause begins a second late.
    expect((await failing.state())?.counters).toEqual({ ...counters, seconds: 1 });
  });

  it("trains on groups sampled ahead before it pauses, and continues with the rest afterwards", async () => {
    const failing = prepareOutage({ steps: 4, sessions: 4, stepsAhead: 1 });
    const { context } = failing;
    const ended = failing.start();
    await context.clock.advance(20_000);
    expect(context.phases).toEqual(["paused"]);
    expect(failing.rows()).toHaveLength(2);
    expect(failing.saves()).toEqual(["manual_000002"]);
    expect(await failing.state()).toMatchObject({
      step: 2,
      pending: [
        { position: 2, groups: 1, version: 1 },
        { position: 3, groups: 1, version: 2 },
      ],
    });
    failing.recover();
    expect(await context.clock.run(ended)).toMatchObject({ outcome: "done", step: 4 });
    expect(context.phases).toEqual(["paused", "running"]);
  });

  it("retries one rollout every half minute, and gives up in the end", async () => {
    const { run, context, warnings, state, refused } = prepareOutage({ steps: null, sessions: 4 });
    await expect(run()).rejects.toMatchObject({
      code: "environment-unavailable",
      message: expect.stringMatching(/ECONNREFUSED\. .*waited for 30 min .* resume the run\.$/),
    });
    expect(warnings()).toEqual([
      expect.stringMatching(/again every 30 s, .* gives up in 30 min\.$/),
    ]);
    expect(context.phases).toEqual(["paused"]);
    // Four attempts per rollout before, then one every half minute.
    expect(refused()).toBeLessThanOrEqual(8 + 60);
    expect(context.clock.monotonic()).toBeGreaterThanOrEqual(BEFORE_GIVING_UP_MS);
    expect(context.clock.monotonic()).toBeLessThan(BEFORE_GIVING_UP_MS + 60_000);
    expect(await state()).toMatchObject({ step: 2, dataset: { cursor: 2 } });
    expect(linesOf(context, PATHS.metrics)).toHaveLength(2);
  });

  it("counts no time of a pause that a stop ends", async () => {
    const failing = prepareOutage({ steps: 3, sessions: 2 });
    const { clock, control } = failing.context;
    const ended = failing.start();
    await clock.advance(20 * 60_000);
    control.stop();
    await clock.run(ended);
    expect(linesOf(failing.context, PATHS.usage)).toContainEqual(
      expect.objectContaining({ for: "stop", seconds: 1 }),
    );
    expect(linesOf(failing.context, PATHS.usage)).not.toContainEqual(
      expect.objectContaining({ seconds: 20 * 60 }),
    );
  });

  it("counts no time of a pause during an evaluation toward max_hours", async () => {
    const evaluation = anEvaluation({ every: 1, num_samples: 1, temperatures: [0] });
    const config = { evaluation, max_hours: 0.2 };
    const failing = prepareOutage({ steps: 2, sessions: 2, config });
    const { clock, phases } = failing.context;
    const ended = failing.start();
    await clock.advance(20 * 60_000);
    expect(phases).toContain("paused");
    failing.recover();
    expect(await clock.run(ended)).toMatchObject({ outcome: "done", step: 2 });
    // Training and evaluation waited for the same environment.
    const circuits = failing.kinds().filter((kind) => kind.startsWith("circuit"));
    expect(circuits).toEqual(["circuit-open", "circuit-closed"]);
    expect((await failing.state())?.counters.seconds).toBeLessThan(60);
  });

  it("retries immediately on a resume command", async () => {
    const failing = prepareOutage({ steps: 2, sessions: 2 });
    const { clock, control } = failing.context;
    const ended = failing.start();
    await clock.advance(20_000);
    failing.recover();
    const tries = failing.refused();
    control.continue();
    expect(await ended).toMatchObject({ outcome: "done", step: 2 });
    expect(clock.monotonic()).toBe(20_000);
    expect(failing.refused()).toBe(tries);
  });

  it("stops while it waits", async () => {
    const failing = prepareOutage({ steps: null, sessions: 2 });
    const ended = failing.start();
    await failing.context.clock.advance(20_000);
    failing.context.control.stop();
    expect(await ended).toMatchObject({ outcome: "stopped", step: 1 });
    expect(failing.saves()).toEqual(["manual_000001"]);
  });

  it("stays paused when it gets a pause command in the meantime", async () => {
    const failing = prepareOutage({ steps: 2, sessions: 2 });
    const { clock, control } = failing.context;
    const ended = failing.start();
    await clock.advance(20_000);
    control.pause();
    failing.recover();
    const tries = failing.refused();
    await clock.advance(BEFORE_GIVING_UP_MS);
    expect(failing.context.phases).toEqual(["paused"]);
    control.continue();
    expect(await ended).toMatchObject({ outcome: "done", step: 2 });
    expect(failing.refused()).toBe(tries);
  });

  it("does not save when the training service is also unreachable", async () => {
    const capabilities = () => new Promise<never>(() => undefined);
    const failing = prepareOutage({ steps: 2, sessions: 2, capabilities });
    const { context } = failing;
    const ended = failing.start();
    await context.clock.advance(20_000);
    expect(failing.saves()).toEqual([]);
    failing.recover();
    expect(await context.clock.run(ended)).toMatchObject({ outcome: "done", step: 2 });
  });
});

describe("a loop whose environment accepts fewer sessions than it requests", () => {
  it("trains the same, and reports the accepted sessions after the first step and at the end", async () => {
    // Trains on groups of equal rewards.
    const config = { batch_size: 4, max_active_tasks: 8, advantage_calculation: "direct" } as const;
    const roomy = prepareRun({ config, steps: 3, rewards: [1] });
    await roomy.run();
    const tight = prepareRun({ config, steps: 3, rewards: [1] });
    const { context, remote } = tight;
    const { gate } = environmentOf(context, ENVIRONMENT);
    const { openSession } = remote;
    let open = 0;
    remote.openSession = async (...asked) => {
      if (open === 3) throw new AppError("environment-capacity", "at maximum capacity");
      open += 1;
      const session = await openSession.apply(remote, asked);
      const close = async () => {
        await context.clock.sleep(100);
        open -= 1;
      };
      return { ...session, close };
    };
    expect(await tight.run()).toMatchObject({ outcome: "done", step: 3 });
    expect(requestsOf(tight)).toEqual(requestsOf(roomy));
    expect(comparableRows(tight)).toEqual(comparableRows(roomy));
    expect(gate.stats).toMatchObject({ peak: 3, demand: 8, failures: 0 });
    const [row] = linesOf(context, PATHS.metrics);
    expect(row).toMatchObject({ capacity: { Game: { rejections: expect.any(Number) } } });
    expect(context.recorded.at(-1)).toMatchObject({
      kind: "capacity-summary",
      message: expect.stringMatching(
        /^Owner\/Game accepted 3 concurrent sessions of the 8 that the run requested; set .*max_concurrency: 3 /,
      ),
    });
    const reports = context.recorded.filter(({ kind }) => kind === "capacity-summary");
    expect(reports.map(({ step }) => step)).toEqual([1, 3]);
  });
});
