import { expect, it } from "vitest";
import { noticeQueue } from "../../../src/host/vscode/noticeQueue.ts";
import { FakeClock, settle } from "../../fakes/fakeClock.ts";

function aQueue() {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  const queue = noticeQueue({ clock, onError: (error) => errors.push(error) });
  const shown: string[] = [];
  const answers = new Map<string, () => void>();
  const add = (name: string): void =>
    queue.add(() => {
      shown.push(name);
      return new Promise((resolve) => answers.set(name, resolve));
    });
  return { clock, queue, errors, shown, answers, add };
}

it("shows a notification after the previous one was answered", async () => {
  const { shown, answers, add } = aQueue();
  add("first");
  add("second");
  await settle();
  expect(shown).toEqual(["first"]);
  answers.get("first")?.();
  await settle();
  expect(shown).toEqual(["first", "second"]);
});

it("does not wait forever for an answer", async () => {
  const { clock, shown, add } = aQueue();
  add("first");
  add("second");
  await clock.advance(60_000);
  await settle();
  expect(shown).toEqual(["first", "second"]);
});

it("continues after one that fails, and reports it", async () => {
  const { queue, errors, shown, add } = aQueue();
  const fault = new Error("no window");
  queue.add(() => Promise.reject(fault));
  add("second");
  await settle();
  expect([errors, shown]).toEqual([[fault], ["second"]]);
});
