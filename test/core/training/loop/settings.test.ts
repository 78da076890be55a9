import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/core/config/schema.ts";
import { settle } from "../../../fakes/fakeClock.ts";
import { duringRollouts, type LoopRun, prepareRun } from "./prepareRun.ts";

describe("a loop that is given new settings", () => {
  /** Changes settings, and notes in `log` what became of each change. */
  function changing(run: LoopRun, log: string[]) {
    return (name: string, changes: Partial<Config>, keys: readonly string[]): void => {
      const config = { ...run.context.config, ...changes };
      run.context.control.changeSettings({
        config,
        keys,
        configHash: name,
        record: async () => void log.push(`record ${name}`),
        dropped: () => log.push(`dropped ${name}`),
      });
    };
  }
  const rates = ({ context: { client } }: LoopRun) =>
    client.adamCalls.map(({ learning_rate: rate }) => rate);

  it("follows them from the next step on, and says so in the next save", async () => {
    const log: string[] = [];
    const run = prepareRun({ config: { learning_rate: 1 } });
    const change = changing(run, log);
    duringRollouts(run, 1, () => change("h2", { learning_rate: 2 }, ["learning_rate"]));
    const { context } = await run.run();
    expect(rates(run)).toEqual([1, 1, 2]);
    expect(log).toEqual(["record h2"]);
    expect(run.context.progress).toContainEqual({
      kind: "settings-changed",
      step: 2,
      keys: ["learning_rate"],
    });
    expect(await run.state()).toMatchObject({ config_hash: "h2", changed_keys: ["learning_rate"] });
    expect(context.config.learning_rate).toBe(2);
  });

  it("follows the last of those given before one step", async () => {
    const log: string[] = [];
    const run = prepareRun({ steps: 2, config: { learning_rate: 1 } });
    const change = changing(run, log);
    duringRollouts(run, 0, () => {
      change("h2", { learning_rate: 2 }, ["learning_rate"]);
      change("h3", { learning_rate: 2, weight_decay: 0.5 }, ["weight_decay"]);
    });
    await run.run();
    expect(rates(run)).toEqual([1, 2]);
    expect(log).toEqual(["record h3"]);
    expect(await run.state()).toMatchObject({ changed_keys: ["learning_rate", "weight_decay"] });
  });

  it("follows those given while it waited", async () => {
    const run = prepareRun({ config: { learning_rate: 1 } });
    duringRollouts(run, 0, () => run.context.control.pause());
    const ended = run.start();
    await settle();
    changing(run, [])("h2", { learning_rate: 2 }, ["learning_rate"]);
    run.context.control.continue();
    await ended;
    expect(rates(run)).toEqual([1, 2, 2]);
  });

  it("goes on as before where they cannot come into force", async () => {
    const log: string[] = [];
    const run = prepareRun({ steps: 2, config: { learning_rate: 1 } });
    duringRollouts(run, 0, () =>
      changing(run, log)(
        "h2",
        { max_steps: null, learning_rate: 2, learning_rate_schedule: "cosine" },
        ["learning_rate", "learning_rate_schedule"],
      ),
    );
    expect(await run.run()).toMatchObject({ outcome: "done", step: 2 });
    expect(log).toEqual(["dropped h2"]);
    expect(rates(run)).toEqual([1, 1]);
    expect(run.context.progress).toContainEqual({
      kind: "warning",
      message: expect.stringMatching(/^The new settings were left out: .*needs an end/),
    });
    expect(await run.state()).toMatchObject({ config_hash: "h", changed_keys: [] });
  });

  it("makes more steps with a larger max_steps in the last one, and fewer with a smaller one in time", async () => {
    const longer = prepareRun({ steps: 2 });
    duringRollouts(longer, 1, () => changing(longer, [])("h2", { max_steps: 3 }, ["max_steps"]));
    expect(await longer.run()).toMatchObject({ outcome: "done", step: 3 });
    const shorter = prepareRun({ steps: 9 });
    duringRollouts(shorter, 1, () => changing(shorter, [])("h2", { max_steps: 2 }, ["max_steps"]));
    expect(await shorter.run()).toMatchObject({ outcome: "done", step: 2 });
  });

  it("keeps them for a resume when it is stopped before the next step", async () => {
    const log: string[] = [];
    const run = prepareRun({ steps: null });
    duringRollouts(run, 2, () => {
      changing(run, log)("h2", { learning_rate: 2 }, ["learning_rate"]);
      run.context.control.stop();
    });
    expect(await run.run()).toMatchObject({ outcome: "stopped", step: 2 });
    expect(log).toEqual(["record h2"]);
    expect(await run.state()).toMatchObject({ config_hash: "h2", changed_keys: ["learning_rate"] });
  });
});
