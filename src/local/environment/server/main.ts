/**
 * The environment process: `node environment.js --socket PATH | --port N [--max-sessions N] [--keyed]`. It prints one line
 * `{"ready":true,"address":…}` and lives as long as its parent holds its standard input open. With `--keyed` the first line of
 * that is the key that every request must show.
 */

import { parseArgs } from "node:util";
import { AppError, errorMessage } from "../../../core/errors.ts";
import { firstLine } from "../../../node/firstLine.ts";
import { type ListenTarget, listen } from "../../http/listen.ts";
import { EMBEDDED_ENVIRONMENTS } from "../catalogue.ts";
import { createEnvironmentServer } from "./server.ts";

interface Options {
  readonly target: ListenTarget;
  readonly maxSessions: number;
  readonly isKeyed: boolean;
}

/** @throws AppError `bad-arguments` unless exactly one address is given, and a limit of at least 1 or none. */
function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      socket: { type: "string" },
      port: { type: "string" },
      "max-sessions": { type: "string" },
      keyed: { type: "boolean", default: false },
    },
  });
  const target = readTarget(values);
  const limit = values["max-sessions"];
  const maxSessions = limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  const isLimit = limit === undefined || /^[1-9]\d*$/.test(limit);
  if (target !== null && isLimit) return { target, maxSessions, isKeyed: values.keyed };
  throw new AppError(
    "bad-arguments",
    "The environment server needs one address. Usage: environment.js --socket PATH | --port N (0 to 65535) [--max-sessions N] [--keyed]",
  );
}

function readTarget(values: {
  readonly socket?: string | undefined;
  readonly port?: string | undefined;
}): ListenTarget | null {
  const { socket, port } = values;
  if (socket !== undefined && port === undefined) return { kind: "socket", path: socket };
  const isPort = port !== undefined && /^\d{1,5}$/.test(port) && Number(port) <= 65_535;
  return socket === undefined && isPort ? { kind: "port", port: Number(port) } : null;
}

async function run(): Promise<void> {
  // A parent that no longer exists reads no output; that is no reason to crash.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  // Ctrl+C reaches the whole terminal group; the parent needs the environments to end its rollouts.
  if (!process.stdin.isTTY) process.on("SIGINT", () => undefined);
  const stopped = new Promise<void>((resolve) => {
    process.once("SIGTERM", () => resolve());
    process.stdin.once("close", () => resolve()).resume();
  });
  const { target, maxSessions, isKeyed } = readOptions(process.argv.slice(2));
  const { server, close } = createEnvironmentServer({
    environments: EMBEDDED_ENVIRONMENTS,
    maxSessions,
    apiKey: isKeyed ? await firstLine(process.stdin) : null,
  });
  const address = await listen(server, target);
  process.stdout.write(`${JSON.stringify({ ready: true, address })}\n`);
  await stopped;
  await close();
}

try {
  await run();
  process.exit(0);
} catch (error) {
  process.stderr.write(`The environment server cannot start: ${errorMessage(error)}\n`);
  process.exit(1);
}
