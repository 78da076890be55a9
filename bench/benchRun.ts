/** A prepared run whose services are fakes in a separate process. */

import { join } from "node:path";
import type { Config } from "../src/core/config/fields/schema.ts";
import { parseConfig } from "../src/core/config/parse.ts";
import { connectEnvironments } from "../src/core/openreward/environments.ts";
import type { HttpClient, Log } from "../src/core/ports.ts";
import { createEventLog } from "../src/core/runFolder/events.ts";
import { runPaths } from "../src/core/runFolder/files/layout.ts";
import { createRolloutStore } from "../src/core/runFolder/rollouts/rolloutStore.ts";
import { createUsageLog } from "../src/core/runFolder/usageLog.ts";
import { Redactor } from "../src/core/secrets/redaction/redactor.ts";
import { connectTinker, type ServiceClient } from "../src/core/tinker/serviceClient.ts";
import { prepareRun } from "../src/core/training/prepare.ts";
import { type RunContext, runLimits } from "../src/core/training/run/context.ts";
import { RunControl } from "../src/core/training/run/control.ts";
import { PausedTime } from "../src/core/training/run/pausedTime.ts";
import { systemClock } from "../src/node/clock.ts";
import { createFileSystem } from "../src/node/fileSystem.ts";
import { sha256 } from "../src/node/hash.ts";
import { createHttpClient } from "../src/node/http.ts";
import { systemRandom } from "../src/node/random.ts";
import type { CleanupStack } from "../src/trainer/services/cleanupStack.ts";
import { loadBenchModel, MODEL } from "./benchModel.ts";

export const ENVIRONMENT = "local/calculator";
const CONFIG = `
model_name: ${MODEL}
environments:
  ${ENVIRONMENT}: { splits: { train: {} }, num_rollouts: 8, nonterminal_reward: 0 }
batch_size: 512
loss_fn: ppo
max_total_tokens: 16384
max_response_tokens: 4096
rollout_timeout: 600
`;
/** The host is irrelevant on a socket. */
const BASE_URL = "http://localhost";
const KEY = "tml-fake";

export interface BenchRun {
  readonly context: RunContext;
  /** Number of requests sent so far. */
  readonly requests: () => number;
  /** When the first sample was requested, in milliseconds since the process started; null = not yet. */
  readonly firstSampleAtMs: () => number | null;
}

/** Prepares a run in `runFolder` with the fake services in `folder`, using their Tinker server `name`; `cleanup` ends it. */
export async function openBenchRun(
  folder: string,
  runFolder: string,
  cleanup: CleanupStack,
  name = "tinker",
): Promise<BenchRun> {
  let sent = 0;
  let firstSampleAtMs: number | null = null;
  const connect = (socket: string): HttpClient => {
    const http = createHttpClient({ socketPath: join(folder, socket) });
    cleanup.add(http.close);
    return {
      send: (request) => {
        sent += 1;
        if (request.url.endsWith("/asample")) firstSampleAtMs ??= performance.now();
        return http.send(request);
      },
    };
  };
  const ports = { clock: systemClock, random: systemRandom, log: warningLog };
  const tinker = { ...ports, http: connect(`${name}.sock`), baseUrl: BASE_URL, apiKey: KEY };
  const service = await connectTinker(tinker);
  cleanup.add(async () => service.close());
  const environments = connectEnvironments({
    ...ports,
    http: connect("environment.sock"),
    baseUrl: BASE_URL,
    apiKey: null,
    userAgent: "tinker-rl-bench",
  });
  const context = await runContext(folder, runFolder, cleanup, service, environments.environment);
  return { context, requests: () => sent, firstSampleAtMs: () => firstSampleAtMs };
}

async function runContext(
  fakeServices: string,
  folder: string,
  cleanup: CleanupStack,
  service: ServiceClient,
  environment: Parameters<typeof prepareRun>[0]["environment"],
): Promise<RunContext> {
  const config = readConfig();
  const ports = { clock: systemClock, random: systemRandom, sha256 };
  const preparation = await prepareRun({
    ...ports,
    config,
    service,
    environment,
    loadModel: () => loadBenchModel(fakeServices),
    secretsOf: async () => ({}),
    onPart: () => undefined,
    onWarning: () => undefined,
  });
  const { chat, environments, sequence, totalSteps } = preparation;
  const disk = createFileSystem();
  cleanup.add(disk.close);
  const fileSystem = disk.within(folder);
  await fileSystem.makeDirectory(runPaths(folder).rolloutFolder);
  const redactor = new Redactor();
  redactor.learn(KEY);
  const attempt = 1;
  const client = await service.createTrainingClient({ baseModel: MODEL, rank: config.lora_rank });
  return {
    config,
    sequence,
    totalSteps,
    listPrices: null,
    limits: runLimits(config),
    control: new RunControl(),
    pauses: new PausedTime(ports.clock),
    ports,
    services: {
      service,
      client,
      chat,
      environments,
      samplerPathOf: async (given) => given,
      isOwn: () => true,
    },
    storage: {
      fileSystem,
      folder,
      store: createRolloutStore({ fileSystem, redactor, folder }),
      usage: createUsageLog({ fileSystem, folder, log: warningLog }),
      attempt,
      stage: null,
    },
    reporting: {
      events: createEventLog({ fileSystem, clock: systemClock, redactor, folder, attempt }),
      watch: () => undefined,
      log: warningLog,
      redactor,
      enterPhase: async () => undefined,
    },
  };
}

function readConfig(): Config {
  const result = parseConfig(CONFIG, { path: "config.yaml" });
  if (result.ok) return result.config;
  throw new Error(result.problems.map(({ message }) => message).join("\n"));
}

/** Only shows what should not happen here. */
const warningLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message, data) => console.error(message, data),
  error: (message, data) => console.error(message, data),
};
