/** Connects to a scripted server, on a manual clock. */

import { connectEnvironments } from "../../../src/core/openreward/environments.ts";
import type {
  EnvironmentConnection,
  EnvironmentOptions,
  EnvironmentSession,
  RemoteEnvironment,
} from "../../../src/core/openreward/types.ts";
import type { Log } from "../../../src/core/ports.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { type Answer, ScriptedServer } from "./scriptedServer.ts";

export interface Harness {
  readonly server: ScriptedServer;
  readonly clock: FakeClock;
  readonly warnings: readonly string[];
  readonly connection: EnvironmentConnection;
  readonly environment: RemoteEnvironment;
  /** Opens a session of task 3, with time running. */
  open(): Promise<EnvironmentSession>;
}

export interface HarnessOptions {
  readonly name?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string | null;
  readonly settings?: EnvironmentOptions;
}

export function harness(
  script: Readonly<Record<string, readonly Answer[]>> = {},
  options: HarnessOptions = {},
): Harness {
  const {
    name = "local/maze",
    baseUrl = "http://127.0.0.1:8080",
    apiKey = null,
    settings = {},
  } = options;
  const server = new ScriptedServer(script);
  const clock = new FakeClock();
  const warnings: string[] = [];
  const connection = connectEnvironments({
    http: server,
    clock,
    random: { uuid: () => "id", uniform: () => 0.5 },
    log: recordWarnings(warnings),
    baseUrl,
    apiKey,
    userAgent: "tinker-rl/test",
  });
  const environment = connection.environment(name, settings);
  const open = (): Promise<EnvironmentSession> =>
    clock.run(environment.openSession({ split: "train", index: 3 }));
  return { server, clock, warnings, connection, environment, open };
}

function recordWarnings(warnings: string[]): Log {
  const ignore = (): void => undefined;
  return { debug: ignore, info: ignore, warn: (text) => warnings.push(text), error: ignore };
}
