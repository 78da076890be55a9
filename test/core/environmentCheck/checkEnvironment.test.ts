import { describe, expect, it } from "vitest";
import {
  checkEnvironment,
  type EnvironmentCheckOptions,
} from "../../../src/core/environmentCheck/checkEnvironment.ts";
import { AppError } from "../../../src/core/errors.ts";
import { connectEnvironments } from "../../../src/core/openreward/environments.ts";
import type { Clock, HttpClient, HttpRequest } from "../../../src/core/ports.ts";
import { calculator } from "../../../src/local/environment/calculator.ts";
import { systemClock } from "../../../src/node/clock.ts";
import { systemRandom } from "../../../src/node/random.ts";
import { FakeClock, settle, until } from "../../fakes/fakeClock.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { startServer } from "../../local/environment/server/running.ts";

async function check(
  changes: Partial<EnvironmentCheckOptions>,
  onRequest: (request: HttpRequest) => Promise<void> = async () => undefined,
  clock: Clock = systemClock,
) {
  const running = await startServer({ environments: [calculator] }, "socket");
  const http: HttpClient = {
    send: async (request) => {
      await onRequest(request);
      return await running.http.send(request);
    },
  };
  const remote = connectEnvironments({
    http,
    clock,
    random: systemRandom,
    log: silentLog,
    baseUrl: running.baseUrl,
    apiKey: null,
    userAgent: "tinker-rl/test",
  }).environment("local/calculator");
  const common = { clock, split: null, secrets: {}, maxTotalTokens: null };
  return checkEnvironment({ ...common, remote, seed: 1, tasks: 4, ...changes });
}

/** A check whose calls hang until they are aborted; time passes only while one hangs. */
async function checkHanging(limits: EnvironmentCheckOptions["limits"]) {
  const clock = new FakeClock();
  let hanging = 0;
  const hang = async ({ url, signal }: HttpRequest): Promise<void> => {
    if (!url.endsWith("/call")) return;
    hanging += 1;
    await new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    }).finally(() => {
      hanging -= 1;
    });
  };
  let isOver = false;
  const checking = check({ limits }, hang, clock).finally(() => {
    isOver = true;
  });
  return await clock.run(checking, async () => {
    await settle();
    await until(() => hanging > 0 || isOver);
  });
}

describe("an environment check", () => {
  it("ends when its time is up, and reports which checks were skipped", async () => {
    const { checks, seconds } = await checkHanging({ totalMs: 400, callMs: 100 });
    expect(seconds).toBe(0.4);
    expect(checks.at(-1)?.notMade).toContain("took longer than 0.4 s");
    expect(checks.find(({ id }) => id === "splits")?.notMade).toBeUndefined();
  });

  it("ends with the reason when no credit is left, without blaming the environment", async () => {
    let sessions = 0;
    const checking = check({}, async ({ url }) => {
      if (url.endsWith("/create_session")) sessions += 1;
      if (sessions > 3) throw new AppError("environment-billing", "no credit is left");
    });
    await expect(checking).rejects.toMatchObject({ code: "environment-billing" });
    expect(sessions).toBeLessThan(8);
  });

  it("ends when it reaches its request limit", async () => {
    const { checks } = await check({ limits: { actions: 20 } });
    expect(checks.at(-1)?.notMade).toContain("limit of requests");
  });

  it("refuses a split that the environment does not have", async () => {
    await expect(check({ split: "trian" })).rejects.toMatchObject({
      code: "no-such-split",
      message: expect.stringMatching(/has no split trian\. It has train, test\./),
    });
  });

  it("is stopped by its signal", async () => {
    const stopping = new AbortController();
    const stopped = new AppError("stopped", "The check was stopped.");
    const onCheck = (): void => stopping.abort(stopped);
    await expect(check({ signal: stopping.signal, onCheck })).rejects.toBe(stopped);
  });

  it("closes each session that it opens", async () => {
    const paths: string[] = [];
    await check({ only: ["random-calls", "isolation"] }, async ({ url }) => {
      paths.push(new URL(url).pathname);
    });
    const count = (path: string): number => paths.filter((each) => each === path).length;
    expect(count("/create")).toBeGreaterThan(32);
    expect(count("/delete")).toBe(count("/create"));
  });

  it("does not blame an earlier unknown call for a tool that always fails", async () => {
    const { checks } = await check({ only: ["unknown-tool"] }, async ({ url, body }) => {
      if (!url.endsWith("/call") || JSON.stringify(body).includes("no_such_tool")) return;
      throw new AppError("environment-tool-crashed", "KeyError: 'x'");
    });
    expect(checks).toMatchObject([{ measured: "answered with a message", findings: [] }]);
  });

  it("makes the same random calls for the same seed", async () => {
    const calls = async (seed: number): Promise<readonly unknown[]> => {
      const bodies: unknown[] = [];
      await check({ seed, only: ["random-calls"] }, async ({ url, body }) => {
        if (url.endsWith("/call")) bodies.push(body);
      });
      return bodies;
    };
    const first = await calls(1);
    expect(await calls(1)).toEqual(first);
    expect(await calls(2)).not.toEqual(first);
  });
});
