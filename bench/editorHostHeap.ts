/** Memory of the extension host without garbage, asked for through its own inspector. */

import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "undici";
import * as z from "zod";

const ADDRESS = "http://127.0.0.1:9229/json/list";
const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() }));
const reply = z.object({
  id: z.number().optional(),
  result: z.object({ result: z.object({ value: z.unknown() }).optional() }).optional(),
});
const usage = z.object({ heapUsed: z.number(), arrayBuffers: z.number(), external: z.number() });

/** Megabytes that the host's own thread holds. Its debug port must be free on this computer. */
export async function hostHeapMb(pid: number): Promise<number> {
  process.kill(pid, "SIGUSR1");
  await sleep(500);
  const [target] = targets.parse(await (await fetch(ADDRESS)).json());
  if (target === undefined) throw new Error("The extension host cannot be inspected.");
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((opened) => socket.addEventListener("open", opened));
  let lastId = 0;
  const call = (method: string, params: object = {}): Promise<unknown> =>
    new Promise((resolve) => {
      lastId += 1;
      const id = lastId;
      socket.addEventListener("message", ({ data }) => {
        const message = reply.parse(JSON.parse(String(data)));
        if (message.id === id) resolve(message.result?.result?.value);
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  await call("HeapProfiler.collectGarbage");
  const expression = "JSON.stringify(process.memoryUsage())";
  const value = await call("Runtime.evaluate", { expression, returnByValue: true });
  socket.close();
  const { heapUsed, arrayBuffers } = usage.parse(JSON.parse(String(value)));
  return (heapUsed + arrayBuffers) / 2 ** 20;
}
