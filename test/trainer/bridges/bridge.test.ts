/** The bridge to Python libraries, without any of them. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL("../../../src/trainer/bridges", import.meta.url));

/** Two calls at once; the first one runs until the second is made, and ends the episode. */
const SCRIPT = `
import json, sys, threading
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import bridge

class Environment:
    tools = [bridge.text_tool("answer", "answer", "Ends.")]
    is_remote = False

    def open(self, split, index):
        def call(_, given):
            ran.append(given["answer"])
            other = threading.Thread(target=answer, args=("b",))
            if len(ran) == 1:
                threads.append(other)
                other.start()
                other.join(0.2)
            return "Right.", 1.0, True, None

        return [("user", "2+3?")], call

ran, threads, reasons = [], [], []
environment = Environment()
session = bridge.Session(environment, "train", 0)

def answer(text):
    reasons.append(session.call(environment, "answer", {"answer": text}).get("reason"))

answer("a")
threads[0].join()
print(json.dumps([ran, reasons]))
`;

function python(args: readonly string[]) {
  return spawnSync("python3", args, { encoding: "utf8" });
}

it.skipIf(python(["--version"]).status !== 0)(
  "a call that waits for the one that ends the episode does not run",
  () => {
    const { stdout, stderr } = python(["-c", SCRIPT, folder]);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual([["a"], expect.arrayContaining([null, "episode_finished"])]);
  },
);
