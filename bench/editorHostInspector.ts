/** Measures the extension host through its inspector. */

import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "undici";
import * as z from "zod";

const ADDRESS = "http://127.0.0.1:9229/json/list";
const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() }));
const reply = z.object({ id: z.number().optional(), result: z.unknown().optional() });
const evaluated = z.object({ result: z.object({ value: z.string() }) });
const usage = z.object({ heapUsed: z.number(), arrayBuffers: z.number() });
/** https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile */
const profiled = z.object({
  profile: z.object({
    nodes: z.array(
      z.object({
        id: z.number(),
        callFrame: z.object({ functionName: z.string(), url: z.string() }),
        children: z.array(z.number()).optional(),
      }),
    ),
    /** Microseconds on the system-wide clock. */
    startTime: z.number(),
    samples: z.array(z.number()),
    /** Microseconds before each sample. */
    timeDeltas: z.array(z.number()),
  }),
});
type Profile = z.infer<typeof profiled>["profile"];
/** https://chromedevtools.github.io/devtools-protocol/v8/NodeTracing; `ts` is on the clock of the profile. */
const traced = z.object({
  method: z.literal("NodeTracing.dataCollected"),
  params: z.object({ value: z.array(z.object({ name: z.string(), ts: z.number() })) }),
});
/** Occurs once per iteration of the event loop. */
const TURN = "CheckImmediate";

const SAMPLE_US = 500;
/** Later samples mostly mean that another process had the CPU, so no more than this is counted. */
const LATE_US = 2 * SAMPLE_US;
/** Path of the installed extension's code. */
const OWN = /tinker-rl[^/]*\/dist\/extension\//;

export interface Inspector {
  readonly call: (method: string, params?: object) => Promise<unknown>;
  /** Receives each message, including replies. */
  readonly listen: (heard: (message: unknown) => void) => void;
  readonly close: () => void;
}

/** The debug port must be free on this computer or belong to the host `pid`. */
export async function inspectHost(pid: number): Promise<Inspector> {
  process.kill(pid, "SIGUSR1");
  await sleep(500);
  const [target] = targets.parse(await (await fetch(ADDRESS)).json());
  if (target === undefined) throw new Error("The extension host cannot be inspected.");
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((opened) => socket.addEventListener("open", opened));
  let lastId = 0;
  return {
    call: (method, params = {}) =>
      new Promise((resolve) => {
        lastId += 1;
        const id = lastId;
        const answer = ({ data }: { readonly data: unknown }): void => {
          const message = reply.parse(JSON.parse(String(data)));
          if (message.id !== id) return;
          socket.removeEventListener("message", answer);
          resolve(message.result);
        };
        socket.addEventListener("message", answer);
        socket.send(JSON.stringify({ id, method, params }));
      }),
    listen: (heard) =>
      socket.addEventListener("message", ({ data }: { readonly data: unknown }) => {
        heard(JSON.parse(String(data)));
      }),
    close: () => socket.close(),
  };
}

/** Megabytes held by the host's main thread, after garbage collection. */
export async function hostHeapMb(pid: number): Promise<number> {
  const host = await inspectHost(pid);
  await host.call("HeapProfiler.collectGarbage");
  const expression = "JSON.stringify(process.memoryUsage())";
  const { result } = evaluated.parse(
    await host.call("Runtime.evaluate", { expression, returnByValue: true }),
  );
  host.close();
  const { heapUsed, arrayBuffers } = usage.parse(JSON.parse(result.value));
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

/**
 * CPU milliseconds of each stretch during `work` in which the host ran only extension code without a break, within one iteration of
 * its event loop.
 */
export async function ownStretchesMs(
  host: Inspector,
  work: () => Promise<void>,
): Promise<readonly number[]> {
  const turns: number[] = [];
  host.listen((message) => {
    const { data } = traced.safeParse(message);
    for (const { name, ts } of data?.params.value ?? []) if (name === TURN) turns.push(ts);
  });
  const traceConfig = { includedCategories: ["node.environment"] };
  await host.call("NodeTracing.start", { traceConfig });
  await host.call("Profiler.enable");
  await host.call("Profiler.setSamplingInterval", { interval: SAMPLE_US });
  await host.call("Profiler.start");
  await work();
  const { profile } = profiled.parse(await host.call("Profiler.stop"));
  await host.call("NodeTracing.stop");
  await sleep(500);
  if (turns.length === 0) throw new Error("The host says nothing of the turns of its loop.");
  turns.sort((a, b) => a - b);
  return stretchesIn(profile, turns);
}

function stretchesIn(
  { nodes, startTime, samples, timeDeltas }: Profile,
  turns: readonly number[],
): readonly number[] {
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const isOwn = (id: number | undefined): boolean => {
    for (let at = id; at !== undefined; at = parents.get(at)) {
      if (OWN.test(byId.get(at)?.callFrame.url ?? "")) return true;
    }
    return false;
  };
  const own = new Set(nodes.map(({ id }) => id).filter(isOwn));
  const collector = nodes.find(({ callFrame }) => callFrame.functionName === "(garbage collector)");
  const found: number[] = [];
  let [us, atUs, turn] = [0, startTime, 0];
  timeDeltas.forEach((delta, index) => {
    // The time before a sample belongs to the previous sample.
    const before = samples[index - 1];
    const isWithin =
      before !== undefined && (own.has(before) || (us > 0 && before === collector?.id));
    atUs += delta;
    let isNextTurn = false;
    while ((turns[turn] ?? Number.POSITIVE_INFINITY) <= atUs) {
      turn += 1;
      isNextTurn = true;
    }
    if (isWithin) us += Math.min(delta, LATE_US);
    if (us > 0 && (!isWithin || isNextTurn)) {
      found.push(us / 1000);
      us = 0;
    }
  });
  return found;
}
