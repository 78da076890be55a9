/** An environment server that the trainer starts with a command, restarts after a crash, and ends with the run. */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join, resolve } from "node:path";
import { BRIDGE_PARTS, type CommandServer } from "../../core/config/fields/environmentServers.ts";
import { AppError, errorMessage } from "../../core/errors.ts";
import type { HttpClient } from "../../core/ports.ts";
import { raceAbort } from "../../core/util/abort.ts";
import { withoutEnd } from "../../core/util/textEdges.ts";
import { systemClock } from "../../node/clock.ts";
import { isFolder } from "../../node/isFolder.ts";
import { NOT_STARTED, scriptHint } from "../../node/notStarted.ts";
import { bridgePython } from "./bridgePython.ts";
import type { CleanupStack } from "./cleanupStack.ts";
import { OutputTail, startKeptCommand } from "./keptCommand.ts";
import { printedError, printedLines } from "./printedError.ts";

export interface ManagedServerOptions {
  /** The environment used in messages; others may share the server. */
  readonly environment: string;
  readonly server: CommandServer;
  /** Folder of the configuration, which relative paths start from. */
  readonly folder: string;
  /** Values of `server.env`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Folder of the program's own files. */
  readonly programs: { readonly folder: string };
  readonly http: HttpClient;
  readonly onOutput: (text: string) => void;
  /** Receives a message about a crash, and the end of the output preceded by a space (or empty). */
  readonly onCrash: (message: string, said: string) => void;
  /** Removes secrets from quoted output before it is truncated. */
  readonly clean: (text: string) => string;
  /** Ends the server, even while it is starting. */
  readonly cleanup: CleanupStack;
  readonly signal: AbortSignal;
}

const HOST = "127.0.0.1";
/** For addresses without a port: the command runs on this computer, without encryption. */
const DEFAULT_PORT = "80";
const POLL_MS = 100;
const POLL_LIMIT_MS = 2_000;
const CONNECT_LIMIT_MS = 1_000;
const FIRST_RESTART_MS = 1_000;
const MAX_RESTART_MS = 30_000;
/** A server that lived this long did not crash because of how it was started. */
const SOUND_MS = 60_000;
const KEPT_OUTPUT = 4_000;
/** Characters and lines of output quoted in an error: the last ones, or an error in the output along with its location. */
const SHOWN_OUTPUT = 600;
const SHOWN_LINES = 4;
const CLOSE_LIMIT_MS = 7_000;

/**
 * Resolves with its address once the server answers.
 * @throws AppError `environment-unavailable` with `configPath` and the end of its output if it does not come up; the reason of `signal`
 */
export async function startManagedServer(options: ManagedServerOptions): Promise<string> {
  await requireFolder(options);
  const url = options.server.url ?? `http://${HOST}:${await freePort()}`;
  if (options.server.url !== null) await requireFree(options, url);
  const keeper = new CommandKeeper(options, portOf(url));
  options.cleanup.add(() => keeper.close());
  await raceAbort(keeper.ready(url), options.signal);
  return url;
}

function portOf(url: string): string {
  const { port } = new URL(url);
  return port === "" ? DEFAULT_PORT : port;
}

class CommandKeeper {
  readonly #options: ManagedServerOptions;
  readonly #port: string;
  #child: ChildProcess;
  #output = new OutputTail(KEPT_OUTPUT);
  #startedMs = 0;
  #crashes = 0;
  #isReady = false;
  #isClosing = false;
  /** How the first process ended, if it did so before its server answered. */
  #earlyEnd: string | null = null;
  /** False if the system found no program to start. */
  #isProgram = true;
  #restart: (() => void) | null = null;

  constructor(options: ManagedServerOptions, port: string) {
    this.#options = options;
    this.#port = port;
    this.#child = this.#start();
  }

  async ready(url: string): Promise<void> {
    const { server, http } = this.#options;
    const health = `${withoutEnd(url, /\//)}/health`;
    const endsMs = systemClock.monotonic() + server.ready_timeout * 1000;
    let heard = "it does not listen";
    while (!this.#isClosing) {
      if (this.#earlyEnd !== null) throw this.#notStarted(this.#earlyEnd);
      const answer = await probe(http, health);
      if (answer === null) break;
      heard = answer;
      if (systemClock.monotonic() >= endsMs) {
        throw this.#notStarted(
          `after ${server.ready_timeout} s it does not answer at ${url}: ${heard}. It must listen on the port in the variable PORT; if its port is fixed, write server.url: http://${HOST}:PORT, and if it needs more time, raise server.ready_timeout`,
        );
      }
      await systemClock.sleep(POLL_MS);
    }
    this.#isReady = true;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#restart?.();
    const child = this.#child;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.stdin?.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), CLOSE_LIMIT_MS);
    await ended;
    clearTimeout(timer);
  }

  #start(): ChildProcess {
    const { server, folder, variables, programs, onOutput } = this.#options;
    this.#startedMs = systemClock.monotonic();
    this.#output = new OutputTail(KEPT_OUTPUT);
    const command =
      server.bridge === null
        ? server.command.map((part) => part.replaceAll("{port}", this.#port))
        : bridgeCommand(server, folder, programs.folder);
    const child = startKeptCommand({
      command,
      cwd: server.cwd === null ? folder : resolve(folder, server.cwd),
      programFolder: programs.folder,
      variables: { OPENREWARD_DISABLE_UPDATE_CHECK: "1", ...variables, PORT: this.#port },
      onOutput: (text) => {
        this.#output.add(text);
        onOutput(text);
      },
    });
    // `exit` may fire before the last output has been read.
    once(child, "close").then(
      ([code, signal]) => {
        const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
        this.#isProgram = code !== NOT_STARTED;
        this.#ended(how, this.#isProgram ? `it ${how}` : this.#noProgram());
      },
      (error) => this.#ended(`cannot be started: ${errorMessage(error)}`),
    );
    return child;
  }

  /** `why` says why it did not start, for a server that has not answered yet. */
  #ended(how: string, why = `it ${how}`): void {
    if (this.#isClosing) return;
    if (!this.#isReady) {
      this.#earlyEnd = why;
      return;
    }
    const livedMs = systemClock.monotonic() - this.#startedMs;
    this.#crashes = livedMs < SOUND_MS ? this.#crashes + 1 : 1;
    const waitMs = Math.min(FIRST_RESTART_MS * 2 ** (this.#crashes - 1), MAX_RESTART_MS);
    const { environment, onCrash } = this.#options;
    const again = `it is started again in ${waitMs / 1000} s`;
    onCrash(`The server of ${environment} ${how}; ${again}.`, this.#said());
    const timer = setTimeout(() => {
      this.#restart = null;
      this.#child = this.#start();
    }, waitMs);
    this.#restart = () => clearTimeout(timer);
  }

  #noProgram(): string {
    const { server, folder } = this.#options;
    const from = server.cwd === null ? folder : resolve(folder, server.cwd);
    const [program] =
      server.bridge === null ? server.command : [bridgePython(server.python, folder)];
    const [, environment] = /^(.*\.?venv)[\\/](?:bin|Scripts)[\\/]/.exec(program ?? "") ?? [];
    const python = process.platform === "win32" ? "python" : "python3";
    const venv =
      environment === undefined
        ? ""
        : `. Make its virtual environment with \`${python} -m venv ${environment}\`, and install what the environment needs`;
    return `there is no program ${program} on the path, or none that can be started from ${from}${scriptHint()}${venv}`;
  }

  #notStarted(why: string): AppError {
    const { server } = this.#options;
    // Without a program, its output would only repeat the reason.
    const said = this.#isProgram ? this.#said() : "";
    return notStarted(this.#options, `${quoted(server)} did not start: ${why}.${said}`);
  }

  /** The end of its output, with a suggestion for known problems. */
  #said(): string {
    const { clean, folder, server } = this.#options;
    const lines = printedLines(this.#output.whole, clean);
    const last = lines.slice(-SHOWN_LINES).join("\n").slice(-SHOWN_OUTPUT);
    const said = printedError(lines, folder)?.slice(0, SHOWN_OUTPUT) ?? last;
    if (said === "") return "";
    const [, missing] = /No module named '([\w.]+)'/.exec(said) ?? [];
    const [program] = server.command;
    const advice =
      missing === undefined
        ? ""
        : `. Install it for the Python of the command: ${program} -m pip install ${missing.split(".")[0]}`;
    return ` It printed: ${said}${advice}`;
  }
}

/** Null once a server answers, otherwise the problem. */
async function probe(http: HttpClient, url: string): Promise<string | null> {
  try {
    const response = await http.send({ method: "GET", url, timeoutMs: POLL_LIMIT_MS });
    await response.bytes();
    return response.status < 500 ? null : `it answers ${response.status}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return errorMessage(cause);
  }
}

/** A fixed port must be free; otherwise the run would use an unrelated server. */
async function requireFree(options: ManagedServerOptions, url: string) {
  const { server } = options;
  const { hostname } = new URL(url);
  const socket = connect(Number(portOf(url)), hostname.replace(/^\[(.*)\]$/, "$1"));
  const isTaken = await Promise.race([
    once(socket, "connect").then(
      () => true,
      () => false,
    ),
    systemClock.sleep(CONNECT_LIMIT_MS).then(() => false),
  ]);
  socket.destroy();
  if (!isTaken) return;
  throw notStarted(
    options,
    `another program listens at ${url} already, so ${quoted(server)} was not started. End that program, or remove \`command\` to use it as it is.`,
  );
}

async function requireFolder({ environment, server, folder }: ManagedServerOptions): Promise<void> {
  const { cwd } = server;
  if (cwd === null) return;
  const path = resolve(folder, cwd);
  if (await isFolder(path)) return;
  const configPath = `environments.${environment}.server.cwd`;
  throw new AppError("environment-unavailable", `${configPath}: there is no folder ${path}.`, {
    configPath,
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, HOST);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return address !== null && typeof address === "object" ? address.port : 0;
}

function quoted({ bridge, command, id }: CommandServer): string {
  return bridge === null ? `\`${command.join(" ")}\`` : `The bridge to ${id} of ${bridge}`;
}

function bridgeCommand(
  { command, python }: CommandServer,
  folder: string,
  programs: string,
): readonly string[] {
  const own = command.slice(command.indexOf(BRIDGE_PARTS.program) + 1);
  return [bridgePython(python, folder), join(programs, "bridge.py"), ...own];
}

function notStarted(
  { environment, server }: Pick<ManagedServerOptions, "environment" | "server">,
  why: string,
): AppError {
  const key = server.bridge === null ? "command" : "bridge";
  const configPath = `environments.${environment}.server.${key}`;
  return new AppError("environment-unavailable", `${configPath}: ${why}`, { configPath });
}
