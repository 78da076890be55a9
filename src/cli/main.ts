/** The entry of `tinker-rl`: binds the program to this process, its streams and its signals. */

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../../package.json";
import { systemClock } from "../node/clock.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { debugLog } from "../trainer/debugLog.ts";
import { deleteCheckpoints } from "../trainer/deleteCheckpoints.ts";
import { loadTokenizer } from "../trainer/loadTokenizer.ts";
import { serve } from "../trainer/serve.ts";
import { resumeTraining, startTraining } from "../trainer/trainer.ts";
import { describeInvocation } from "./invocation.ts";
import { runProgram } from "./program.ts";
import { createTerminal } from "./terminal.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

function interrupts(onInterrupt: () => void): () => void {
  for (const signal of SIGNALS) process.on(signal, onInterrupt);
  return () => {
    for (const signal of SIGNALS) process.off(signal, onInterrupt);
  };
}

const { argv, env, stdout, stderr } = process;
const programFolder = dirname(fileURLToPath(import.meta.url));
const out = createTerminal(stdout, env);
const err = createTerminal(stderr, env);

const exitCode = await runProgram(
  {
    ...{ out, err, version, interrupts },
    clock: systemClock,
    fileSystem: createFileSystem(),
    input: process.stdin,
    log: debugLog,
    trainer: { startTraining, resumeTraining, deleteCheckpoints, serve },
    loadTokenizer: async (name, configPath) =>
      (await loadTokenizer(name, { folder: programFolder }, configPath)).tokenizer,
    invocation: describeInvocation(argv[1] ?? "tinker-rl", process.cwd()),
    isDebug: env["TINKER_RL_DEBUG"] === "1",
  },
  argv.slice(2),
);
await Promise.all([out.drained(), err.drained()]);
// A run that was ended at once may still have work in flight; nobody waits for it.
process.exit(exitCode);
