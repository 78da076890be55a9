#!/usr/bin/env node
/** Entry point of `tinker-rl`: connects the program to this process, its streams and its signals. */

import { setMaxListeners } from "node:events";
import { writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../core/errors.ts";
import { redactingLog } from "../core/secrets/redaction/redactingPorts.ts";
import { Redactor } from "../core/secrets/redaction/redactor.ts";
import { cacheFolder } from "../node/cacheFolder.ts";
import { systemClock } from "../node/clock.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { isProcessAlive } from "../node/processes.ts";
import type { OpenRequests } from "../server/openRequests.ts";
import { EXIT, worstExit } from "../shared/exitCodes.ts";
import { VERSION } from "../shared/version.ts";
import { debugLog } from "../trainer/services/debugLog.ts";
import { runProgram } from "./program.ts";
import { errorLines } from "./terminal/exitCode.ts";
import { createInterrupts, readParentStatus } from "./terminal/interrupts.ts";
import { describeInvocation } from "./terminal/invocation.ts";
import { renderLine } from "./terminal/line.ts";
import { createTerminal, outputLost } from "./terminal/terminal.ts";

/** Exits like Node does on an uncaught error, but redacts secrets in the output. */
function failCleanly(error: unknown): never {
  const cleaned = redactor.redactError(error);
  const lines = errorLines(requests?.redactError(cleaned) ?? cleaned, true);
  writeSync(process.stderr.fd, `${lines.map((line) => renderLine(line, false)).join("\n")}\n`);
  process.exit(EXIT.fault);
}

/** Exits with an error message if there is no working directory, for which Node would print an error of its own. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const message = "The working directory no longer exists. Change to another folder.";
    const lines = errorLines(new AppError("file-not-found", message, { cause }), false);
    writeSync(process.stderr.fd, `${lines.map((line) => renderLine(line, false)).join("\n")}\n`);
    process.exit(EXIT.invalid);
  }
}

// Everything that a run waits for listens to its stop signal, which is not a leak.
setMaxListeners(0);
const { argv, env, stdout, stderr } = process;
const scriptPath = argv[1] ?? "tinker-rl";
const redactor = new Redactor();
/** Open requests of the editor being served. */
let requests: OpenRequests | null = null;
process.on("uncaughtException", failCleanly);
const programFolder = dirname(fileURLToPath(import.meta.url));
const out = createTerminal(stdout, env);
const err = createTerminal(stderr, env);

const fileSystem = createFileSystem();
const log = redactingLog(debugLog, redactor);

const exitCode = await runProgram(
  {
    out,
    err,
    version: VERSION,
    serveEditor: async () => {
      const { serveStandardStreams } = await import("../server/serve.ts");
      const { OpenRequests } = await import("../server/openRequests.ts");
      requests = new OpenRequests();
      await serveStandardStreams({ version: VERSION, programFolder }, requests);
    },
    interrupts: createInterrupts(process, env, readParentStatus()),
    clock: systemClock,
    fileSystem,
    input: process.stdin,
    log,
    isProcessAlive,
    loadTrainer: async () => {
      const { createTrainerApi } = await import("./arguments/trainerApi.ts");
      return createTrainerApi(redactor, programFolder);
    },
    serveView: async (request) => {
      const { serveView } = await import("../server/view/viewServer.ts");
      const cache = join(cacheFolder(env), "view");
      const clock = systemClock;
      return serveView({ ...request, fileSystem, clock, programFolder, cacheFolder: cache, log });
    },
    serveMcp: async (request) => {
      const { serveMcp } = await import("../server/mcp/mcpServer.ts");
      const clock = systemClock;
      await serveMcp({ ...request, version: VERSION, programFolder, fileSystem, clock, env });
    },
    loadTokenizer: async (name, configPath) => {
      const { loadTokenizer } = await import("../trainer/models/loadTokenizer.ts");
      return (await loadTokenizer(name, { folder: programFolder }, configPath)).tokenizer;
    },
    templatesFolder: join(programFolder, "templates"),
    invocation: describeInvocation(scriptPath, workingFolder()),
    scriptPath,
    isDebug: env["TINKER_RL_DEBUG"] === "1",
  },
  argv.slice(2),
);
await Promise.all([out.drained(), err.drained()]);
if (out.fault !== null) err.print(errorLines(outputLost(out.fault), false));
await err.drained();
// An interrupted run may still have work in flight; do not wait for it.
process.exit(out.fault === null ? exitCode : worstExit([exitCode, EXIT.fault]));
