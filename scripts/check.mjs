// `npm run check`: all checks except tests, in parallel on all processors. Prints the output of each, and fails if any fails.

import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

const tool = (name, ...args) => [`node_modules/.bin/${name}`, ...args];
const script = (name, ...args) => ["node", "scripts/run.mjs", `scripts/${name}.ts`, ...args];

/** Longest first. */
const PARTS = [
  tool("tsc", "--noEmit"),
  tool("biome", "check", "--error-on-warnings", "."),
  tool("knip"),
  tool("tsc", "--noEmit", "-p", "webview-ui"),
  tool("tsc", "--noEmit", "-p", "test/editor"),
  script("generate", "--check"),
  script("checkSources"),
];

/** Resolves with the exit code; null after a signal. */
function run([command, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    const printed = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (part) => printed.push(part));
    child.once("error", reject);
    child.once("close", (code) => {
      process.stderr.write(Buffer.concat(printed));
      if (code !== 0) console.error(`failed: ${[command, ...args].join(" ")}`);
      resolve(code);
    });
  });
}

const waiting = PARTS.values();
const codes = [];
async function work() {
  for (const part of waiting) codes.push(await run(part));
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
