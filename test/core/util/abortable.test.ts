import { describe, expect, it } from "vitest";
import type { HttpClient } from "../../../src/core/ports.ts";
import { abortable } from "../../../src/core/util/abortable.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";

describe("ports that end with a signal", () => {
  const over = new Error("over");
  const request = { method: "GET", url: "https://a.example", timeoutMs: 1_000 } as const;
  const hanging: HttpClient = {
    send: ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
  };

  it("abort requests and pauses in progress", async () => {
    const ending = new AbortController();
    const { http, clock } = abortable({ http: hanging, clock: new FakeClock() }, ending.signal);
    const rejections = Promise.all(
      [http.send(request), clock.sleep(1_000)].map((each) => expect(each).rejects.toBe(over)),
    );
    ending.abort(over);
    await rejections;
  });

  it("still abort with the signal of a single request", async () => {
    const own = new AbortController();
    const { http } = abortable(
      { http: hanging, clock: new FakeClock() },
      new AbortController().signal,
    );
    const asked = http.send({ ...request, signal: own.signal });
    own.abort(over);
    await expect(asked).rejects.toBe(over);
  });
});
