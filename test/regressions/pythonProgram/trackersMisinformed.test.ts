/** What a tracker receives of a run. */

import { describe, expect, it } from "vitest";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { TrackedRun } from "../../core/tracking/wandb/trackedRun.ts";

describe("a run at W&B", () => {
  it("a resumed run goes on as the same run there, with every step once", async () => {
    const run = new TrackedRun();
    await run.begin();
    for (const step of [0, 1, 2, 3]) await run.write(step);
    await run.clock.advance(1_000);
    await run.kill();
    // Back to the last checkpoint: steps 2 and 3 are repeated, and come out as before.
    await run.begin(2);
    for (const step of [2, 3, 4]) await run.write(step);
    await run.finish();
    expect(run.server.runs.size).toBe(1);
    expect(run.server.rows().map(({ step }) => step)).toEqual([0, 1, 2, 3, 4]);
  });

  it("a tracker receives no secret, wherever one turns up", async () => {
    const secret = "judge-0123456789";
    const run = new TrackedRun();
    const redactor = new Redactor();
    redactor.learn(secret);
    await run.configure({
      save_every: 0,
      environments: { a: { secrets: { judge_key: null } } },
      note: secret,
    });
    await run.begin(0, { redactor });
    await run.write(0, 0.5, { [`tool ${secret}`]: 1 });
    await run.finish();
    expect(run.server.rows()[0]).toMatchObject({ "rollout/tool ***": 1 });
    expect(run.server.requests.map(({ body }) => String(body)).join()).not.toContain(secret);
  });

  it("a tracker learns that a run failed", async () => {
    const run = new TrackedRun();
    await run.begin();
    await run.write(0);
    await run.finish(1);
    expect(run.server.run).toMatchObject({ exitCode: 1 });
    expect(run.server.rows()).toHaveLength(1);
  });
});
