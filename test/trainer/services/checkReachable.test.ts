import { expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { checkReachable } from "../../../src/trainer/services/checkReachable.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { FakeHttp, type FakeReply } from "../../fakes/fakeHttp.ts";

function contact(
  reply: (clock: FakeClock) => FakeReply,
  source: string | null = "openreward_base_url",
) {
  const clock = new FakeClock();
  const http = new FakeHttp(() => reply(clock));
  const signal = new AbortController().signal;
  const url = "http://ors.test/some/prefix/";
  return { clock, http, answered: checkReachable({ http, clock, url, source, signal }) };
}

it.each([200, 401, 404, 500])("a server that answers with %i is reachable", async (status) => {
  const { http, answered } = contact(() => ({ status }));
  await answered;
  expect(http.requests.map(({ url }) => url)).toEqual(["http://ors.test/some/prefix/health"]);
  expect(http.requests[0]?.headers).toBeUndefined();
});

it("a server that is starting has time to come up", async () => {
  const startsAtMs = 15_000;
  const { clock, answered } = contact((time) =>
    time.monotonic() < startsAtMs ? "lost" : { status: 200 },
  );
  await clock.run(answered);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(startsAtMs);
});

it("an address without an answer is reported within 20 s, with its origin and the next step", async () => {
  const { clock, http, answered } = contact(() => "lost");
  await expect(clock.run(answered)).rejects.toMatchObject({
    code: "environment-unavailable",
    message: expect.stringMatching(/http:\/\/ors\.test .*correct openreward_base_url/),
    configPath: undefined,
  });
  expect(clock.monotonic()).toBeLessThanOrEqual(20_000);
  // Every attempt has a time limit, even if the server is silent.
  for (const { timeoutMs } of http.requests) expect(timeoutMs).toBeLessThanOrEqual(20_000);
});

it("an unreachable hosted service is not blamed on the key", async () => {
  const { clock, answered } = contact(() => "lost", null);
  await expect(clock.run(answered)).rejects.toThrow(/Check the network/);
});

it("ends immediately when the run does", async () => {
  const clock = new FakeClock();
  const http = new FakeHttp(() => "lost");
  const stopping = new AbortController();
  const answered = checkReachable({
    http,
    clock,
    url: "http://ors.test",
    source: null,
    signal: stopping.signal,
  });
  const stopped = new AppError("stopped", "The run is stopped.");
  stopping.abort(stopped);
  await expect(answered).rejects.toBe(stopped);
});
