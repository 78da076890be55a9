/** The program when something other than Ctrl+C ends it. */

import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { runFolderWith } from "./localRun.ts";
import { startProgram } from "./trainProgram.ts";

const CONFIG = `
model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4 }
batch_size: 2
`;

it.skipIf(process.platform === "win32").each([
  ["a supervisor's signal to all processes of a run", ["SIGTERM"]],
  ["a closing terminal, which signals twice,", ["SIGHUP", "SIGHUP"]],
] as const)("%s leaves the run time to save", async (_what, signals) => {
  const folder = await runFolderWith(CONFIG);
  const child = startProgram(["train", "-c", join(folder, "config.yaml")], {}, true);
  try {
    const closed = once(child, "close");
    const lines = child.stdout === null ? [] : createInterface({ input: child.stdout });
    let reported = "";
    for await (const line of lines) {
      reported += `${line}\n`;
      if (/^step +2 /.test(line))
        for (const signal of signals) process.kill(-Number(child.pid), signal);
    }
    expect(reported).toMatch(/stopped and saved after \d+ steps/);
    expect(await closed).toEqual([3, null]);
  } finally {
    child.kill("SIGKILL");
  }
});
