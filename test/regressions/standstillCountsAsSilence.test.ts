import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ByteBudget } from "../../src/core/tinker/transport/byteBudget.ts";
import { awaitFuture } from "../../src/core/tinker/transport/futures.ts";
import { createTinkerHttp } from "../../src/core/tinker/transport/http.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import { FakeHttp, type FakeReply } from "../fakes/fakeHttp.ts";
import { silentLog } from "../fakes/silentLog.ts";

const EIGHT_HOURS_MS = 8 * 3_600_000;
const done: FakeReply = { json: { metrics: {} } };

/** Runs on while the program stands still, as the clock of a computer that sleeps may. */
class RunningOnClock extends FakeClock {
  standstillMs = 0;

  override monotonic(): number {
    return super.monotonic() + this.standstillMs;
  }
}

/** The computer sleeps during the first request, whose connection is then gone; the next `losses` find no network yet. */
function stage(losses: number) {
  const clock = new RunningOnClock();
  const http = new FakeHttp((): FakeReply => {
    clock.standstillMs = EIGHT_HOURS_MS;
    return http.requests.length <= 1 + losses ? "lost" : done;
  });
  const billingPauseMs = () => 0;
  const tinker = createTinkerHttp({
    http,
    clock,
    random: { uuid: () => "uuid", uniform: () => 0 },
    log: silentLog,
    baseUrl: "http://tinker.test",
    apiKey: "tml-secret",
    billingPauseMs,
  });
  const options = { tinker, clock, log: silentLog, billingPauseMs };
  return { clock, http, tinker, options };
}

describe("a program that stood still for hours", () => {
  it("does not take them for silence of the service when it polls a result", async () => {
    const { clock, http, options } = stage(4);
    const waiting = awaitFuture(
      { ...options, noAnswerLimitMs: 900_000, resultBytes: new ByteBudget(1_000) },
      { requestId: "r1", type: "ForwardBackward", roundTripMs: 0 },
    );
    expect(await clock.run(waiting)).toEqual({ kind: "json", value: { metrics: {} } });
    expect(http.requests).toHaveLength(6);
  });

  it("has as much time as before for the tries of a request", async () => {
    const { clock, http, tinker } = stage(4);
    const request = { method: "POST", path: "optim_step", body: {} } as const;
    await clock.run(tinker.call(request, z.looseObject({})));
    expect(http.requests).toHaveLength(6);
  });
});
