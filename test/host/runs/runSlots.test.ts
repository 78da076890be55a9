import { expect, it, vi } from "vitest";
import { RunSlots, type SlotChoice } from "../../../src/host/runs/runSlots.ts";

function slots(choice: SlotChoice | undefined, maxParallel = 1) {
  return new RunSlots({ maxParallel: () => maxParallel, choose: async () => choice });
}
const holder = (title: string, stop = (): void => undefined) => ({ title, stop });
const options = () => ({ onWait: vi.fn(), signal: new AbortController().signal });

it("asks nothing while there is a place", async () => {
  const choose = vi.fn();
  const places = new RunSlots({ maxParallel: () => 2, choose });
  await places.take(holder("a"), options());
  await places.take(holder("b"), options());
  expect(choose).not.toHaveBeenCalled();
});

it("queues in the order of asking, and each starts when a place is free", async () => {
  const places = slots("queue");
  const release = await places.take(holder("a"), options());
  const order: string[] = [];
  const start = async (title: string) => {
    const done = await places.take(holder(title), options());
    order.push(title);
    return done;
  };
  const b = start("b");
  const c = start("c");
  await vi.waitFor(() => expect(places.waiting).toEqual(["b", "c"]));
  release?.();
  (await b)?.();
  await c;
  expect(order).toEqual(["b", "c"]);
});

it("gives one free place to one of those that wait", async () => {
  const places = slots("queue");
  const release = await places.take(holder("a"), options());
  const b = vi.fn();
  const c = vi.fn();
  void places.take(holder("b"), options()).then(b);
  void places.take(holder("c"), options()).then(c);
  await vi.waitFor(() => expect(places.waiting).toEqual(["b", "c"]));
  release?.();
  await vi.waitFor(() => expect(b).toHaveBeenCalled());
  expect(c).not.toHaveBeenCalled();
  expect(places.waiting).toEqual(["c"]);
});

it.each(["queue", "stop first"] as const)(
  "starts at once when the other one has ended before the answer `%s`",
  async (choice) => {
    const stop = vi.fn();
    let release: (() => void) | null = null;
    const places = new RunSlots({
      maxParallel: () => 1,
      choose: async () => {
        release?.();
        return choice;
      },
    });
    release = await places.take(holder("a", stop), options());
    expect(await places.take(holder("b"), options())).toBeTypeOf("function");
    expect(stop).not.toHaveBeenCalled();
  },
);

it("runs beside the others when that is requested", async () => {
  const places = slots("parallel");
  await places.take(holder("a"), options());
  expect(await places.take(holder("b"), options())).toBeTypeOf("function");
});

it("stops the first when that is requested, and starts after it", async () => {
  const places = slots("stop first");
  const stop = vi.fn();
  const release = await places.take(holder("a", stop), options());
  const b = places.take(holder("b"), options());
  await vi.waitFor(() => expect(stop).toHaveBeenCalledOnce());
  release?.();
  expect(await b).toBeTypeOf("function");
});

it("starts nothing when the user goes away from the question", async () => {
  const places = slots(undefined);
  await places.take(holder("a"), options());
  expect(await places.take(holder("b"), options())).toBeNull();
});

it("gives up waiting when the terminal is closed", async () => {
  const places = slots("queue");
  await places.take(holder("a"), options());
  const closing = new AbortController();
  const waiting = places.take(holder("b"), { onWait: () => undefined, signal: closing.signal });
  await vi.waitFor(() => expect(places.waiting).toEqual(["b"]));
  closing.abort(new Error("closed"));
  await expect(waiting).rejects.toThrow("closed");
  expect(places.waiting).toEqual([]);
});
