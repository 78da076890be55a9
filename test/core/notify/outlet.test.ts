import { describe, expect, it } from "vitest";
import { messageText, type Notice, type NoticeMessage } from "../../../src/core/notify/notice.ts";
import { Outlet, type OutletOptions } from "../../../src/core/notify/outlet.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { aNotice, anEnd } from "./notices.ts";

const LIMIT_MS = 5_000;

function opened(send: OutletOptions["send"], on: OutletOptions["on"] = ["alarm", "end"]) {
  const clock = new FakeClock();
  const failures: string[] = [];
  const onFailure = (reason: string) => void failures.push(reason);
  const outlet = new Outlet({ on, clock, past: [], send, onFailure });
  const offer = (notice: Notice): boolean => {
    const { key, isEnd } = notice;
    const isAdmitted = outlet.admit(notice, { key, isEnd, step: null, timeMs: clock.now() });
    if (isAdmitted) outlet.send(notice);
    return isAdmitted;
  };
  return { clock, failures, outlet, offer };
}

function kept() {
  const texts: string[] = [];
  const send = async (message: NoticeMessage) => void texts.push(messageText(message));
  return { texts, send };
}

/** An outlet that never answers. */
const hanging: OutletOptions["send"] = (_, signal) =>
  new Promise((_resolve, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error)),
  );

describe("a notification outlet", () => {
  it("gets only the kinds it is configured for", async () => {
    const { texts, send } = kept();
    const { outlet, offer } = opened(send, ["end"]);
    expect(offer(aNotice())).toBe(false);
    await outlet.close(anEnd(), LIMIT_MS);
    expect(texts).toEqual(["Run first (Qwen/Qwen3-8B) is done after 40 steps."]);
  });

  it("reports with the next message what was held back", async () => {
    const { texts, send } = kept();
    const { outlet, offer } = opened(send);
    expect([offer(aNotice()), offer(aNotice()), offer(aNotice())]).toEqual([true, false, false]);
    await outlet.close(anEnd(), LIMIT_MS);
    expect(texts.at(-1)).toMatch(/2 more messages were not sent: Most tool calls fail \(2\)\.$/);
  });

  it("reports with the next message what did not arrive, with one warning", async () => {
    const sent: NoticeMessage[] = [];
    const { outlet, offer, failures } = opened(async (message) => {
      sent.push(message);
      if (message.notice.isEnd) return;
      throw new Error("it answers 500");
    });
    offer(aNotice({ key: "a", topic: "A" }));
    offer(aNotice({ key: "b", topic: "B" }));
    await new Promise((resolve) => setImmediate(resolve));
    await outlet.close(anEnd(), LIMIT_MS);
    expect(failures).toEqual(["it answers 500"]);
    expect([...(sent.at(-1)?.heldBack ?? [])]).toEqual([
      ["A", 1],
      ["B", 1],
    ]);
  });

  it("sends the last message next to one that hangs, and ends after the limit", async () => {
    const texts: string[] = [];
    const { clock, outlet, offer, failures } = opened(async (message, signal) => {
      if (message.notice.isEnd) texts.push(messageText(message));
      else await hanging(message, signal);
    });
    offer(aNotice({ key: "a", topic: "A" }));
    offer(aNotice({ key: "b", topic: "B" }));
    const closing = outlet.close(anEnd(), LIMIT_MS);
    await clock.advance(LIMIT_MS - 1);
    expect(failures).toEqual([]);
    await clock.advance(1);
    await closing;
    expect(texts).toEqual([expect.stringMatching(/1 more message was not sent: B\.$/)]);
    expect(failures).toEqual(["it did not answer in time"]);
    expect(clock.sleeping).toBe(0);
  });

  it("queues only a few messages while one hangs, and counts the others", async () => {
    const sent: NoticeMessage[] = [];
    let release = (): void => undefined;
    const { outlet, offer } = opened(async (message) => {
      sent.push(message);
      if (sent.length === 1) await new Promise<void>((resolve) => (release = resolve));
    });
    const keys = Array.from({ length: 40 }, (_, each) => `end ${each}`);
    for (const key of keys) offer(anEnd({ key, topic: key }));
    release();
    await new Promise((resolve) => setImmediate(resolve));
    await outlet.close(null, LIMIT_MS);
    expect(sent.map(({ notice }) => notice.key)).toEqual(["end 0", ...keys.slice(-10)]);
    expect([...(sent[1]?.heldBack.keys() ?? [])]).toEqual(keys.slice(1, -10));
  });
});
