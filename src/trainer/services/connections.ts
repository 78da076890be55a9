/** Connects a run to its services. Names in the configuration decide between embedded and hosted ones, never keys. */

import { dirname } from "node:path";
import {
  type AddressServer,
  type CommandServer,
  environmentNames,
  environmentServer,
  environmentsOn,
  type ServerChoice,
  serverKey,
} from "../../core/config/fields/environmentServers.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { AppError } from "../../core/errors.ts";
import { connectEnvironments } from "../../core/openreward/environments.ts";
import { logSentence } from "../../core/openreward/faults.ts";
import type { EnvironmentConnection, RemoteEnvironment } from "../../core/openreward/types.ts";
import type { HttpClient, Log } from "../../core/ports.ts";
import { redactingRefusals } from "../../core/secrets/redaction/redactingPorts.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import type { BillWaits } from "../../core/tinker/openTinker.ts";
import { connectTinker, type ServiceClient } from "../../core/tinker/serviceClient.ts";
import type { RunControl } from "../../core/training/run/control.ts";
import type { Watcher } from "../../core/training/run/progress.ts";
import { datasetSources } from "../../local/environment/dataset/datasetSource.ts";
import { systemClock } from "../../node/clock.ts";
import { type ClosableHttpClient, createHttpClient } from "../../node/http.ts";
import { systemRandom } from "../../node/random.ts";
import { USER_AGENT } from "../../shared/version.ts";
import { checkReachable } from "./checkReachable.ts";
import type { CleanupStack } from "./cleanupStack.ts";
import {
  type LocalPrograms,
  type LocalService,
  startEngine,
  startEnvironments,
} from "./localServices.ts";
import { startManagedServer } from "./managedServer.ts";
import type { ServerOutput } from "./serverOutput.ts";
import {
  commandVariables,
  environmentAddress,
  ownAddress,
  type ServiceAddressOptions,
  serverHeaders,
  tinkerAddress,
} from "./serviceAddress.ts";
import { withHeaders } from "./withHeaders.ts";

export interface ConnectionOptions extends ServiceAddressOptions {
  /** Receives the output of servers that the configuration starts. */
  readonly serverOutput: ServerOutput;
  /** Absolute; relative paths start from its folder. */
  readonly configPath: string;
  /** Receives the SHA-256 of each dataset file, by environment. */
  readonly datasets: Map<string, string>;
  readonly programs: LocalPrograms;
  readonly redactor: Redactor;
  readonly log: Log;
  readonly cleanup: CleanupStack;
  readonly watch: Watcher;
  /** Fails the run if an embedded service dies; its signal cancels the preparation. */
  readonly control: Pick<RunControl, "fail" | "signal">;
  /** Shown with the session at the service. */
  readonly runName: string;
  /** Absent = `work`. */
  readonly waitsForBills?: BillWaits;
}

/** The host is irrelevant on a socket. */
const SOCKET_URL = "http://localhost";
const LOCAL_KEY = "tml-local";

/** Closable on its own, before the run ends. */
export interface TinkerConnection {
  readonly service: ServiceClient;
  close(): Promise<void>;
}

/** @throws AppError `key-missing`, `key-host-not-allowed`, `local-service`, `tinker-*` */
export async function connectModelService(options: ConnectionOptions): Promise<TinkerConnection> {
  return isLocalModel(options.config.model_name) ? embeddedEngine(options) : hostedTinker(options);
}

async function embeddedEngine(options: ConnectionOptions): Promise<TinkerConnection> {
  const engine = await startEngine(options.programs);
  const http = clientOf(engine, options);
  const close = async (): Promise<void> => {
    await http.close();
    await engine.close();
  };
  const release = options.cleanup.add(close);
  const service = await connectTinker({
    ...sessionOptions(options),
    http,
    baseUrl: SOCKET_URL,
    apiKey: LOCAL_KEY,
  });
  return {
    service,
    close: async () => {
      service.close();
      release();
      await close();
    },
  };
}

/**
 * A client of a service without which the run cannot continue. Once the service has died, requests fail with its error, so that
 * nobody retries.
 */
function clientOf(service: LocalService, { control }: ConnectionOptions): ClosableHttpClient {
  const { socketPath, failed } = service;
  failed.addEventListener("abort", () => control.fail(failed.reason), { once: true });
  const http = createHttpClient({ socketPath });
  return {
    send: async (request) => {
      failed.throwIfAborted();
      return await http.send(request);
    },
    close: () => http.close(),
  };
}

async function hostedTinker(options: ConnectionOptions): Promise<TinkerConnection> {
  const { config, redactor, cleanup } = options;
  const address = tinkerAddress(options);
  const { url: baseUrl, keyName, key: apiKey, keySource, headers } = address;
  if (apiKey === null) {
    const trainer = address.source === null ? "Tinker" : `the server at ${baseUrl}`;
    throw missingKey(keyName, `model_name: ${config.model_name} is trained by ${trainer}`);
  }
  for (const secret of [apiKey, ...Object.values(headers)]) redactor.learn(secret);
  const http = redactingRefusals(withHeaders(createHttpClient(), baseUrl, headers), redactor);
  const release = cleanup.add(() => http.close());
  const service = await connectTinker({
    ...sessionOptions(options),
    onMessage: ({ level, text }) => {
      const message = redactor.redact(`The server at ${baseUrl}: ${text}`).replace(/\s+/g, " ");
      options.watch({ kind: level === "warn" ? "warning" : "notice", message });
    },
    http,
    baseUrl,
    apiKey,
    keySource,
    addressSource: address.source,
    onToken: (token) => redactor.learn(token),
  });
  return {
    service,
    close: async () => {
      service.close();
      release();
      await http.close();
    },
  };
}

function sessionOptions({ config, log, runName, waitsForBills }: ConnectionOptions) {
  return {
    clock: systemClock,
    random: systemRandom,
    log,
    tags: ["tinker-rl"],
    displayName: runName,
    userMetadata: { run: runName, model: config.model_name },
    waitsForBills,
  };
}

/** Maps full names to environments. Servers are started and connected first, each once. */
export async function connectEnvironmentServices(
  options: ConnectionOptions,
): Promise<(name: string) => RemoteEnvironment> {
  const connections = new Map<string, Promise<EnvironmentConnection>>();
  const found = environmentNames(options.config).map(async (name) => {
    const server = environmentServer(options.config, name);
    const place = serverKey(server);
    const connecting = connections.get(place) ?? connectServer(options, name, server);
    connections.set(place, connecting);
    const own = options.config.environments[name];
    const environment = (await connecting).environment(name, {
      onServer: "environment" in server ? server.environment : null,
      toolsetName: own?.toolset_name,
      sessionEnv: own?.session_env,
    });
    return [name, environment] as const;
  });
  const environments = new Map(await Promise.all(found));
  return (name) => {
    const environment = environments.get(name);
    if (environment === undefined)
      throw new AppError("environment-not-found", `${name} has no service.`);
    return environment;
  };
}

function connectServer(
  options: ConnectionOptions,
  name: string,
  server: ServerChoice,
): Promise<EnvironmentConnection> {
  switch (server.kind) {
    case "embedded":
      return localEnvironments(options);
    case "shared":
      return openReward(options);
    case "address":
      return ownServer(options, name, server);
    case "command":
      return managedEnvironments(options, name, server);
  }
}

/** A server of the user's own, with the configured headers. */
async function ownServer(
  options: ConnectionOptions,
  name: string,
  server: AddressServer,
): Promise<EnvironmentConnection> {
  const { url, headers, key } = ownAddress(options, name, server);
  const http = ownClient(options, url, headers);
  if (key !== null) options.redactor.learn(key);
  const source = `environments.${name}.server.url`;
  await checkReachable({ url, source, http, clock: systemClock, signal: options.control.signal });
  return connectEnvironments({ ...environmentOptions(options), http, baseUrl: url, apiKey: key });
}

/** A server that this run starts and ends. It runs as the user, so it gets the configured variables but no key. */
async function managedEnvironments(
  options: ConnectionOptions,
  name: string,
  server: CommandServer,
): Promise<EnvironmentConnection> {
  const { cleanup, configPath, control, programs, redactor, serverOutput, variables, watch } =
    options;
  const own = commandVariables(server, variables, `environments.${name}.server.env`);
  // Values written in the file are stored with the run, so they are not secrets.
  for (const { name: key, value } of own) if (server.env?.[key] === null) redactor.learn(value);
  const http = createHttpClient();
  cleanup.add(() => http.close());
  const url = await startManagedServer({
    environment: name,
    server,
    folder: dirname(configPath),
    variables: Object.fromEntries(own.map((each) => [each.name, each.value])),
    programs,
    http,
    onOutput: (text) => serverOutput.write(name, text),
    onCrash: (what, said) => {
      const log = serverOutput.logOf(name);
      const where = log === null ? "" : ` ${logSentence(log)}`;
      watch({ kind: "warning", message: `${what}${where}${said}` });
    },
    clean: (text) => redactor.redact(text),
    cleanup,
    signal: control.signal,
  });
  return connectEnvironments({
    ...environmentOptions(options),
    http: ownClient(options, url, serverHeaders(options, name, server)),
    baseUrl: url,
    apiKey: null,
    logOf: () => serverOutput.logOf(name),
  });
}

/** Learns the headers, so that errors do not show them. */
function ownClient(
  { cleanup, redactor }: ConnectionOptions,
  url: string,
  headers: Readonly<Record<string, string>>,
): HttpClient {
  for (const value of Object.values(headers)) redactor.learn(value);
  const http = createHttpClient();
  cleanup.add(() => http.close());
  return redactingRefusals(withHeaders(http, url, headers), redactor);
}

async function localEnvironments(options: ConnectionOptions): Promise<EnvironmentConnection> {
  const { config, configPath, programs, datasets } = options;
  const server = await startEnvironments(programs, datasetSources(config, configPath));
  for (const [name, digest] of Object.entries(server.datasets)) datasets.set(name, digest);
  const http = clientOf(server, options);
  options.cleanup.add(async () => {
    await http.close();
    await server.close();
  });
  return connectEnvironments({
    ...environmentOptions(options),
    http,
    baseUrl: SOCKET_URL,
    apiKey: null,
  });
}

/** OpenReward's key is only sent to OpenReward; another server gets `ORS_API_KEY` or no key. */
async function openReward(options: ConnectionOptions): Promise<EnvironmentConnection> {
  const { config, redactor, cleanup } = options;
  const address = environmentAddress(options);
  const { url: baseUrl, apiUrl, isOpenReward, keyName, key: apiKey, keySource } = address;
  if (isOpenReward && apiKey === null) {
    const names = environmentsOn(config, "shared");
    throw missingKey(keyName, `environments: ${names.join(", ")} run at OpenReward`);
  }
  if (apiKey !== null) redactor.learn(apiKey);
  const http = redactingRefusals(createHttpClient(), redactor);
  const closing = new AbortController();
  cleanup.add(() => {
    closing.abort();
    return http.close();
  });
  await checkReachable({ ...address, http, clock: systemClock, signal: closing.signal });
  return connectEnvironments({
    ...environmentOptions(options),
    http,
    baseUrl,
    apiKey,
    keySource,
    apiUrl: apiUrl ?? undefined,
  });
}

function environmentOptions({ log }: ConnectionOptions) {
  return { clock: systemClock, random: systemRandom, log, userAgent: USER_AGENT };
}

function missingKey(name: string, why: string): AppError {
  return new AppError(
    "key-missing",
    `${why}, which needs ${name}. Set it in the environment or in a .env file next to the configuration. Without a key, train the local demo: model_name: local/tiny-tool with an environment local/calculator.`,
    { data: { name } },
  );
}
