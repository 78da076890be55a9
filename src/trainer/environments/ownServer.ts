/** Keeps an environment's own server running outside of a run, for whoever is developing it. */

import { dirname } from "node:path";
import {
  type CommandServer,
  environmentServer,
} from "../../core/config/fields/environmentServers.ts";
import { withOnlyEnvironment } from "../../core/config/taskChoices.ts";
import { AppError } from "../../core/errors.ts";
import type { Message, RemoteEnvironment } from "../../core/openreward/types.ts";
import type { FileSystem } from "../../core/ports.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { RunControl } from "../../core/training/run/control.ts";
import { raceAbort } from "../../core/util/abort.ts";
import { Limiter } from "../../core/util/limiter.ts";
import { startConfig } from "../../node/startConfig.ts";
import type { LaunchRequest } from "../../shared/control.ts";
import { loadNamed } from "../config/requireNamed.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import { connectEnvironmentServices } from "../services/connections.ts";
import { environmentSecrets } from "../services/environmentSecrets.ts";
import { connectionsOf } from "../services/outsideOfRuns.ts";
import { codeFolder } from "./environmentCode.ts";

export interface OwnServerRequest {
  readonly configPath: string;
  /** `key=value` each. */
  readonly overrides: readonly string[];
  readonly environment: string;
  readonly launchRequest: LaunchRequest;
  readonly programFolder: string;
  readonly redactor: Redactor;
  /** Cancels the start. */
  readonly signal: AbortSignal;
  /** Receives the folder of its code before the start. */
  readonly onCode: (folder: string) => void;
  /** Receives its output in whole lines without secrets, and a line about each crash. */
  readonly onLog: (text: string) => void;
}

export interface OpenOwnServer {
  /** Origin on which it listens. */
  readonly address: string;
  readonly splits: readonly { readonly name: string; readonly tasks: number }[];
  /**
   * The beginnings of the prompts of tasks `start` up to `stop`, one line each; null for tasks whose prompt cannot be loaded.
   * @throws AppError `environment-*` if the server is gone
   */
  prompts(split: string, start: number, stop: number): Promise<readonly (string | null)[]>;
  /** Ends the server. */
  close(): Promise<void>;
}

/** Length limit in characters of a prompt in a list. */
const SHOWN_PROMPT = 120;
const SESSIONS_AT_ONCE = 4;
const ANSWER_LIMIT_MS = 20_000;

/**
 * Resolves once the server answers. Restarts it after a crash, as a run would.
 * @throws AppError `no-such-environment` for an environment without `server.command`, else like a run that cannot start
 */
export async function openOwnServer(
  fileSystem: FileSystem,
  request: OwnServerRequest,
): Promise<OpenOwnServer> {
  const { redactor, signal } = request;
  const cleanup = new CleanupStack();
  const control = new RunControl();
  const close = async (): Promise<void> => {
    control.stop();
    await cleanup.closeAll();
  };
  try {
    const opening = start(fileSystem, request, { cleanup, control });
    return { ...(await raceAbort(opening, signal)), close };
  } catch (error) {
    await close();
    throw redactor.redactError(error);
  }
}

async function start(
  fileSystem: FileSystem,
  request: OwnServerRequest,
  { cleanup, control }: { readonly cleanup: CleanupStack; readonly control: RunControl },
): Promise<Omit<OpenOwnServer, "close">> {
  const { environment: name, launchRequest, redactor, onCode, onLog } = request;
  const started = await startConfig(fileSystem, request);
  const { path, config: whole } = await loadNamed(started, { launchRequest });
  const config = withOnlyEnvironment(whole, name);
  onCode(await codeFolder(commandOf(environmentServer(config, name), name), dirname(path)));
  const own = { config, configPath: path, runName: "own server" };
  const connections = await connectionsOf(request, { ...own, redactor, cleanup, control });
  const { variables } = connections;
  const secrets = await environmentSecrets(config, name, { variables, redactor });
  const append = async (_: string, text: string): Promise<void> => onLog(text);
  connections.serverOutput.attach({ append, makeDirectory: async () => undefined }, null);
  const connect = await connectEnvironmentServices({
    ...connections,
    watch: (event) => {
      if (event.kind === "warning") onLog(`${redactor.redact(event.message)}\n`);
    },
  });
  const remote = connect(name);
  const names = (await remote.splits()).map((split) => split.name);
  const splits = await Promise.all(
    names.map(async (split) => ({ name: split, tasks: await remote.numTasks(split) })),
  );
  const limiter = new Limiter(SESSIONS_AT_ONCE);
  return {
    address: remote.address,
    splits,
    prompts: (split, from, to) =>
      Promise.all(
        Array.from({ length: Math.max(0, to - from) }, (_, offset) =>
          limiter.run(async () => {
            const text = await promptOf(remote, { split, index: from + offset, secrets });
            return text === null ? null : redactor.redact(text).slice(0, SHOWN_PROMPT);
          }),
        ),
      ),
  };
}

function commandOf(server: ReturnType<typeof environmentServer>, name: string): CommandServer {
  if (server.kind === "command") return server;
  const message = `${name} has no server that can be started: add environments.${name}.server.command, as [python, environment.py].`;
  throw new AppError("no-such-environment", message);
}

/** Null if the environment has no prompt for the task, which is then listed without one. */
async function promptOf(
  remote: RemoteEnvironment,
  task: {
    readonly split: string;
    readonly index: number;
    readonly secrets: Readonly<Record<string, string>>;
  },
): Promise<string | null> {
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  try {
    const session = await remote.openSession(task, { signal, answerLimitMs: ANSWER_LIMIT_MS });
    try {
      return textOf(await session.prompt({ signal }));
    } finally {
      await session.close();
    }
  } catch {
    return null;
  }
}

/** The last user message, which is the task if a system message has the rules. */
function textOf(messages: readonly Message[]): string {
  const last = messages.findLast(({ role }) => role === "user") ?? messages.at(-1);
  const texts = (last?.blocks ?? []).flatMap((block) => (block.type === "text" ? block.text : []));
  return texts.join(" ").replaceAll(/\s+/g, " ").trim();
}
