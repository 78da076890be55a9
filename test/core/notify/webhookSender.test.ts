import { describe, expect, it } from "vitest";
import { sendToWebhook } from "../../../src/core/notify/webhookSender.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { FakeHttp, type FakeReply } from "../../fakes/fakeHttp.ts";
import { aNotice } from "./notices.ts";

const ADDRESS = "https://hooks.test/services/secret";

/** The times of the attempts, and the result of sending, which is abandoned after `limitMs`. */
async function sending(
  answers: readonly (number | FakeReply)[],
  limitMs = Number.POSITIVE_INFINITY,
) {
  const clock = new FakeClock();
  const triedAtMs: number[] = [];
  const http = new FakeHttp(() => {
    const answer = answers[Math.min(triedAtMs.length, answers.length - 1)] ?? 200;
    triedAtMs.push(clock.monotonic());
    return typeof answer === "number" ? { status: answer } : answer;
  });
  const random = { uuid: () => "", uniform: () => 0 };
  const options = {
    http,
    clock,
    random,
    address: ADDRESS,
    format: "json",
    userAgent: "x",
  } as const;
  const message = { notice: aNotice(), heldBack: new Map<string, number>() };
  const closing = new AbortController();
  const stopTimer = clock.after(limitMs, () => closing.abort(new Error("too slow")));
  const result = sendToWebhook(options, message, closing.signal).then(
    () => "sent",
    (error: unknown) => String(error),
  );
  const ended = await clock.run(result);
  stopTimer();
  return { ended, triedAtMs, requests: http.requests };
}

describe("a message to a webhook", () => {
  it("is a single JSON POST", async () => {
    const { ended, requests } = await sending([204]);
    expect(ended).toBe("sent");
    expect(requests).toMatchObject([{ method: "POST", url: ADDRESS, timeoutMs: 10_000 }]);
    expect(JSON.parse(String(requests[0]?.body))).toMatchObject({ event: "alarm" });
  });

  it("is retried after errors, with the delay that the server requests", async () => {
    const { ended, triedAtMs } = await sending([
      500,
      "lost",
      { status: 429, headers: { "retry-after": "90" } },
      200,
    ]);
    expect(ended).toBe("sent");
    expect(triedAtMs).toEqual([0, 1_000, 3_000, 93_000]);
  });

  it("is abandoned after ten minutes, or immediately if the server requests a longer wait", async () => {
    const { ended, triedAtMs } = await sending(["lost"]);
    expect(ended).toContain("connection reset");
    expect(ended).not.toContain("secret");
    expect(triedAtMs.at(-1)).toBeLessThan(600_000);
    const later = await sending([{ status: 429, headers: { "retry-after": "3600" } }]);
    expect([later.ended.includes("it answers 429"), later.triedAtMs]).toEqual([true, [0]]);
  });

  it("that was refused before the run closed reports that instead of the time limit", async () => {
    expect((await sending([500], 5_000)).ended).toContain("it answers 500");
    expect((await sending(["lost"], 5_000)).ended).toContain("connection reset");
  });

  it.each([
    [302, "it answers with a redirect (302), which is not followed"],
    [404, "it answers 404"],
  ])("is not retried after %d", async (status, reason) => {
    const { ended, requests } = await sending([status]);
    expect(ended).toContain(reason);
    expect(requests).toHaveLength(1);
  });
});
