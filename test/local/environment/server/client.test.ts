import { describe, expect, it } from "vitest";
import { connectEnvironments } from "../../../../src/core/openreward/environments.ts";
import type { RemoteEnvironment } from "../../../../src/core/openreward/types.ts";
import type { HttpClient, Log } from "../../../../src/core/ports.ts";
import { systemClock } from "../../../../src/node/clock.ts";
import { systemRandom } from "../../../../src/node/random.ts";
import { cuttingFirstCall } from "../../../fakes/cutCall.ts";
import { counter, LONG_TEXT } from "./counter.ts";
import { type Running, startServer } from "./running.ts";

const ignore = (): void => undefined;
const log: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function connect(running: Running, http: HttpClient = running.http): RemoteEnvironment {
  return connectEnvironments({
    http,
    clock: systemClock,
    random: { ...systemRandom, uniform: () => 0 },
    log,
    baseUrl: running.baseUrl,
    apiKey: "the-key",
    userAgent: "tinker-rl/test",
  }).environment("local/counter");
}

describe.each(["port", "socket"] as const)("the client against the server over a %s", (address) => {
  it("plays a whole episode", async () => {
    const { environment } = counter();
    const running = await startServer({ environments: [environment], apiKey: "the-key" }, address);
    const remote = connect(running);
    expect(await remote.splits()).toEqual([
      { name: "train", type: "train" },
      { name: "test", type: "test" },
    ]);
    expect(await remote.numTasks("test")).toBe(5);
    expect((await remote.tools()).tools.map(({ name }) => name)).toEqual(["add", "wait", "crash"]);
    await remote.release();
    const session = await remote.openSession({ split: "test", index: 2 });
    const task = { type: "text", text: "Bring the counter to 202. 😀" };
    expect(await session.prompt()).toEqual([{ role: "user", blocks: [task] }]);
    expect(await session.callTool("add", { amount: "two" })).toMatchObject({
      kind: "rejected",
      reason: "input_validation",
    });
    expect(await session.callTool("subtract", {})).toMatchObject({ reason: "not_found" });
    expect(await session.callTool("add", { amount: 101 })).toMatchObject({
      blocks: [{ text: "value=101" }],
      reward: null,
      finished: false,
    });
    expect(await session.callTool("add", { amount: 101 })).toMatchObject({
      reward: 1,
      finished: true,
      metadata: { value: 202 },
    });
    expect(await session.callTool("add", { amount: 1 })).toMatchObject({
      kind: "rejected",
      reason: "episode_finished",
    });
    await session.close();
  });
});

describe("the client against the server", () => {
  it("receives a long result completely, even after a drop, and the tool ran once", async () => {
    const { environment, runs, letGo } = counter();
    const running = await startServer({ environments: [environment] });
    const session = await connect(running, cuttingFirstCall(running.http, letGo)).openSession({
      split: "train",
      index: 0,
    });
    const outcome = await session.callTool("wait", {});
    expect(outcome).toMatchObject({ blocks: [{ type: "text", text: LONG_TEXT }], reward: 0 });
    expect(runs).toEqual(["wait"]);
    await session.close();
  });

  it("reports a crash with all its lines, and a wrong split or key", async () => {
    const { environment } = counter();
    const running = await startServer({ environments: [environment] });
    const remote = connect(running);
    const session = await remote.openSession({ split: "train", index: 0 });
    await expect(session.callTool("crash", {})).rejects.toMatchObject({
      code: "environment-tool-crashed",
      message: expect.stringContaining("first line\nsecond line"),
    });
    await session.close();
    await expect(remote.openSession({ split: "nope", index: 0 })).rejects.toMatchObject({
      code: "environment-protocol",
    });
    const locked = await startServer({ environments: [environment], apiKey: "another" });
    await expect(connect(locked).numTasks("train")).rejects.toMatchObject({
      code: "environment-auth",
    });
  });
});
