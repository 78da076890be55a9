/** Shows, checks and takes over hostile folders with the program's own code, many in one process: `hostileTrainer.js PLAN REPORT`. */

import { join } from "node:path";
import { Readable } from "node:stream";
import type { ProgramOptions } from "../../src/cli/arguments/programOptions.ts";
import { runProgram } from "../../src/cli/program.ts";
import { createTerminal } from "../../src/cli/terminal/terminal.ts";
import { AppError } from "../../src/core/errors.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { planResume } from "../../src/trainer/resume/resume.ts";
import { silentLog } from "../fakes/silentLog.ts";
import { CaseRunner } from "./hostile/caseRunner.ts";

const runner = new CaseRunner(process.argv.slice(2));
const fileSystem = createFileSystem();
const refuse = (): never => {
  throw new AppError("bad-arguments", "Nothing is trained here.");
};

/** Runs a command line; resolves with its exit code. */
async function program(show: (shown: unknown) => void, args: readonly string[]): Promise<number> {
  const out = createTerminal(
    {
      write: (text: string, done?: () => void) => {
        show(text);
        // Asynchronous, like a real stream.
        if (done !== undefined) setImmediate(done);
        return true;
      },
      on: () => undefined,
    },
    { NO_COLOR: "1" },
  );
  const options: ProgramOptions = {
    out,
    err: out,
    version: "0",
    fileSystem,
    clock: systemClock,
    log: silentLog,
    isProcessAlive: () => false,
    input: Readable.from([]),
    isDebug: false,
    serveEditor: async () => undefined,
    interrupts: () => () => undefined,
    serveView: refuse,
    serveMcp: refuse,
    scriptPath: "tinker-rl",
    loadTrainer: refuse,
    loadTokenizer: refuse,
    templatesFolder: "",
    invocation: { program: "tinker-rl", cwd: runner.plan.runs },
  };
  return runProgram(options, args);
}

await runner.measure({ id: null, kind: "tinker-rl runs" }, async (show) => {
  return `exit ${await program(show, ["runs", runner.plan.runs])}`;
});
for (const { id, kind, folder } of runner.each("run")) {
  await runner.measure({ id, kind: `${kind}, show` }, async (show) => {
    const words = [[], ["--step", "1"], ["--step", "1", "--group", "1"], ["--eval"]];
    const codes: number[] = [];
    for (const more of words) codes.push(await program(show, ["show", folder, ...more]));
    const rollout = ["--step", "1", "--group", "1", "--rollout", "1"];
    codes.push(await program(show, ["show", folder, ...rollout]));
    return `exit ${codes[0]}`;
  });
}
for (const { id, kind, folder } of runner.each("config")) {
  await runner.measure({ id, kind: `${kind}, validate` }, async (show) => {
    const codes: number[] = [];
    for (const name of ["tinker-config.yaml", "tinker-config.json"]) {
      codes.push(await program(show, ["validate", join(folder, name)]));
    }
    return `exit ${Math.max(...codes)}`;
  });
}
for (const { id, kind, folder } of runner.each("run")) {
  await runner.measure({ id, kind: `${kind}, resume` }, async () => {
    const plan = await planResume(fileSystem, {
      folder,
      owner: "terminal",
    });
    // Everything that a resume changes in the folder before it trains.
    const lease = await plan.claim({ start: plan.start });
    await lease.update({ phase: "stopped" });
    return "taken over";
  });
}
runner.end();
