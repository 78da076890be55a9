import { expect, it, vi } from "vitest";
import { type Holder, RunSlots, type SlotChoice } from "../../../src/host/runs/runSlots.ts";

function slots(choice: SlotChoice | undefined, maxParallel = 1) {
  return new RunSlots({ maxParallel: () => maxParallel, choose: async () => choice });
}
const holder = (title: string, stop: Holder["stop"] = async () => true): Holder => ({
  title,
  startsAgain: null,
  stop,
});
const titles = (holders: readonly Holder[]): readonly string[] => holders.map(({ title }) => title);
const options = () => ({ onWait: vi.fn(), signal: new AbortController().signal });

it("asks nothing while a slot is free", async () => {
  const choose = vi.fn();
  const places = new RunSlots({ maxParallel: () => 2, choose });
  await places.take(holder("a"), options());
  await places.take(holder("b"), options());
  expect(choose).not.toHaveBeenCalled();
});

it("queues requests in order, and starts each when a slot becomes free", async () => {
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
  await vi.waitFor(() => expect(titles(places.waiting)).toEqual(["b", "c"]));
  release?.();
  (await b)?.();
  await c;
  expect(order).toEqual(["b", "c"]);
});

it("gives one free slot to one of those waiting", async () => {
  const places = slots("queue");
  const release = await places.take(holder("a"), options());
  const b = vi.fn();
  const c = vi.fn();
  void places.take(holder("b"), options()).then(b);
  void places.take(holder("c"), options()).then(c);
  await vi.waitFor(() => expect(titles(places.waiting)).toEqual(["b", "c"]));
  release?.();
  await vi.waitFor(() => expect(b).toHaveBeenCalled());
  expect(c).not.toHaveBeenCalled();
  expect(titles(places.waiting)).toEqual(["c"]);
});

it.each(["queue", "stop first"] as const)(
  "starts immediately if the other run has ended before the answer `%s`",
  async (choice) => {
    const stop = vi.fn(async () => true);
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

it("starts those that wait when more may run at once", async () => {
  let maxParallel = 1;
  const places = new RunSlots({ maxParallel: () => maxParallel, choose: async () => "queue" });
  await places.take(holder("a"), options());
  const b = places.take(holder("b"), options());
  void places.take(holder("c"), options());
  await vi.waitFor(() => expect(titles(places.waiting)).toEqual(["b", "c"]));
  maxParallel = 2;
  places.startNext();
  expect(await b).toBeTypeOf("function");
  expect(titles(places.waiting)).toEqual(["c"]);
});

it("runs in parallel on request", async () => {
  const places = slots("parallel");
  await places.take(holder("a"), options());
  expect(await places.take(holder("b"), options())).toBeTypeOf("function");
});

it("stops the first run on request, and starts after it", async () => {
  const places = slots("stop first");
  const stop = vi.fn(async () => true);
  const release = await places.take(holder("a", stop), options());
  const b = places.take(holder("b"), options());
  await vi.waitFor(() => expect(stop).toHaveBeenCalledOnce());
  release?.();
  expect(await b).toBeTypeOf("function");
});

it("starts nothing if the user dismisses the prompt", async () => {
  const places = slots(undefined);
  await places.take(holder("a"), options());
  expect(await places.take(holder("b"), options())).toBeNull();
});

it("stops waiting when the terminal is closed", async () => {
  const places = slots("queue");
  await places.take(holder("a"), options());
  const closing = new AbortController();
  const waiting = places.take(holder("b"), { onWait: () => undefined, signal: closing.signal });
  await vi.waitFor(() => expect(titles(places.waiting)).toEqual(["b"]));
  closing.abort(new Error("closed"));
  await expect(waiting).rejects.toThrow("closed");
  expect(titles(places.waiting)).toEqual([]);
});

it("does not wait if the terminal is closed during the prompt", async () => {
  const closing = new AbortController();
  const choose = async (): Promise<SlotChoice> => {
    closing.abort(new Error("closed"));
    return "queue";
  };
  const places = new RunSlots({ maxParallel: () => 1, choose });
  await places.take(holder("a"), options());
  const waiting = places.take(holder("b"), { onWait: vi.fn(), signal: closing.signal });
  await expect(waiting).rejects.toThrow("closed");
  expect(titles(places.waiting)).toEqual([]);
});

it("gives the slot of a stopped run only to the one that asked to stop it", async () => {
  const choices: SlotChoice[] = ["parallel", "queue", "stop first"];
  const choose = vi.fn(async () => choices.shift());
  const places = new RunSlots({ maxParallel: () => 1, choose });
  const stops = { a: vi.fn(async () => true), b: vi.fn(async () => true) };
  const release = await places.take(holder("a", stops.a), options());
  await places.take(holder("b", stops.b), options());
  const started: string[] = [];
  const start = (title: string) =>
    places.take(holder(title), options()).then(() => started.push(title));
  void start("queued");
  const d = start("d");
  await vi.waitFor(() => expect(titles(places.waiting)).toEqual(["queued", "d"]));
  expect(choose).toHaveBeenLastCalledWith("d", ["a", "b"]);
  expect([stops.a.mock.calls.length, stops.b.mock.calls.length]).toEqual([1, 0]);
  release?.();
  await d;
  expect(started).toEqual(["d"]);
});

it("stops no other run if the first one has ended before the answer", async () => {
  const ends: (() => void)[] = [];
  const choices: SlotChoice[] = ["parallel", "stop first"];
  const choose = async (title: string) => {
    if (title === "c") for (const end of ends) end();
    return choices.shift();
  };
  const places = new RunSlots({ maxParallel: () => 1, choose });
  const stop = vi.fn(async () => true);
  ends.push((await places.take(holder("a", stop), options())) ?? expect.fail("It has a place."));
  await places.take(holder("b", stop), options());
  void places.take(holder("c"), options());
  await vi.waitFor(() => expect(titles(places.waiting)).toEqual(["c"]));
  expect(stop).not.toHaveBeenCalled();
});

it("uses a free slot while another request waits for the run that it stops", async () => {
  const ends = new Map<string, () => void>();
  const choices: SlotChoice[] = ["stop first", "queue"];
  const choose = async (title: string) => {
    if (title === "d") ends.get("b")?.();
    return choices.shift();
  };
  const places = new RunSlots({ maxParallel: () => 2, choose });
  for (const title of ["a", "b"]) {
    ends.set(
      title,
      (await places.take(holder(title), options())) ?? expect.fail("It has a place."),
    );
  }
  const c = places.take(holder("c"), options());
  await vi.waitFor(() => expect(titles(places.waiting)).toEqual(["c"]));
  expect(await places.take(holder("d"), options())).toBeTypeOf("function");
  ends.get("a")?.();
  expect(await c).toBeTypeOf("function");
});

it("takes any slot if the run that it should follow refuses to stop", async () => {
  const places = slots("stop first", 2);
  await places.take(
    holder("a", async () => false),
    options(),
  );
  const release = await places.take(holder("b"), options());
  const c = places.take(holder("c"), options());
  await vi.waitFor(() => expect(titles(places.waiting)).toEqual(["c"]));
  release?.();
  expect(await c).toBeTypeOf("function");
});

it("does not start a request whose wait was canceled", async () => {
  const places = slots("queue");
  const release = await places.take(holder("a"), options());
  const b = holder("b");
  const start = places.take(b, options());
  await vi.waitFor(() => expect(titles(places.waiting)).toEqual(["b"]));
  places.cancel(b);
  expect(await start).toBeNull();
  release?.();
  expect(places.waiting).toEqual([]);
});
