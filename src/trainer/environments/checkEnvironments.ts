/** Checks environments by configuration, server address, or name. */

import { dirname, join } from "node:path";
import { EMBEDDED_MODELS } from "../../core/config/editing/catalogue/embedded.ts";
import { hasAgent, serverOwner } from "../../core/config/fields/environmentServers.ts";
import type { Config, EnvironmentConfig } from "../../core/config/fields/schema.ts";
import { parseConfig } from "../../core/config/parse.ts";
import { describeProblem } from "../../core/config/source/problem.ts";
import { environmentConfig } from "../../core/config/taskChoices.ts";
import {
  checkEnvironment,
  type EnvironmentCheckOptions,
  type EnvironmentReport,
} from "../../core/environmentCheck/checkEnvironment.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { contextOf, findLineUpModel } from "../../core/models/lineUp.ts";
import { connectEnvironments } from "../../core/openreward/environments.ts";
import type { FileSystem } from "../../core/ports.ts";
import type { AllowedOrigin } from "../../core/secrets/hostBinding.ts";
import { redactingRefusals } from "../../core/secrets/redaction/redactingPorts.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { systemClock } from "../../node/clock.ts";
import { createHttpClient } from "../../node/http.ts";
import { systemRandom } from "../../node/random.ts";
import { startConfig } from "../../node/startConfig.ts";
import { DEFAULT_CONFIG } from "../../shared/configNames.ts";
import { USER_AGENT } from "../../shared/version.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import { loadNamed } from "../config/requireNamed.ts";
import { checkReachable } from "../services/checkReachable.ts";
import { type ConnectionOptions, connectEnvironmentServices } from "../services/connections.ts";
import { environmentSecrets } from "../services/environmentSecrets.ts";
import { connectionsOf, type Surroundings, withSurroundings } from "../services/outsideOfRuns.ts";
import { printedError, printedLines } from "../services/printedError.ts";
import { environmentAddress } from "../services/serviceAddress.ts";
import { noSuch } from "./openTask.ts";
import { promptCounter } from "./promptCounter.ts";

export interface EnvironmentCheckRequest {
  /** Empty = all environments of the configuration, or else of the server. */
  readonly names: readonly string[];
  /** Null = none, as with an address; names suffice. */
  readonly configPath: string | null;
  /** `key=value` each. */
  readonly overrides: readonly string[];
  /** Address of a server to check without a configuration; null = the configuration's. */
  readonly url: string | null;
  /** Null = the training split. */
  readonly split: string | null;
  /** Prompts to read per split. */
  readonly tasks: number;
  readonly seed: number;
  readonly allowedOrigins: readonly AllowedOrigin[];
  /** Working directory, which may contain a `.env` file. */
  readonly folder: string;
  /** Called as each check begins. */
  readonly onCheck: (
    environment: string,
    rule: string,
    place: { readonly position: number; readonly count: number },
  ) => void;
  /** Called with each report as it is done. */
  readonly onReport: (report: CheckedEnvironment) => void;
  readonly signal: AbortSignal;
  /** Learns the secrets. */
  readonly redactor?: Redactor;
  /** Folder of the embedded environments; default: next to the running program. */
  readonly programFolder?: string;
}

export interface CheckedEnvironment extends EnvironmentReport {
  /** True if the configuration names an agent that plays it. */
  readonly hasAgent: boolean;
  /** The last error that its server printed; undefined if there is none or another program started the server. */
  readonly printed: string | undefined;
}

/** One report per environment. @throws AppError like a run that cannot start, cleaned of secrets */
export async function checkEnvironments(
  fileSystem: FileSystem,
  request: EnvironmentCheckRequest,
): Promise<readonly CheckedEnvironment[]> {
  const { signal } = request;
  return withSurroundings(request.redactor, async (surroundings) => {
    const stop = (): void => surroundings.control.stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await checkAll(fileSystem, request, surroundings);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  });
}

async function checkAll(
  fileSystem: FileSystem,
  request: EnvironmentCheckRequest,
  surroundings: Surroundings,
): Promise<readonly CheckedEnvironment[]> {
  const { redactor } = surroundings;
  const written = await writtenConfig(fileSystem, request);
  const configPath = written?.path ?? join(request.folder, "none.yaml");
  const options = await connectionsOf(request, {
    ...surroundings,
    config: written?.config ?? namedConfig(request),
    configPath,
    runName: "check",
  });
  const { variables } = options;
  const config = written?.config ?? (await configOfNames(request, options));
  const connect = await connectEnvironmentServices({ ...options, config });
  const countTokens = promptCounter(options);
  const reports: CheckedEnvironment[] = [];
  for (const name of Object.keys(config.environments)) {
    const own = environmentConfig(config, name);
    const secrets = await environmentSecrets(config, name, { variables, redactor });
    const report = await checkEnvironment({
      remote: connect(name),
      clock: systemClock,
      secrets,
      seed: request.seed,
      tasks: request.tasks,
      split: request.split ?? (written === null ? null : (Object.keys(own.splits)[0] ?? null)),
      ...(written === null ? { maxTotalTokens: null } : modelFacts(config, own)),
      countTokens: written === null ? undefined : countTokens,
      onCheck: ({ rule }, position, count) => request.onCheck(name, rule, { position, count }),
      signal: request.signal,
    });
    // Taking the output here keeps a shared server's output from being attributed to the next environment.
    const output = options.serverOutput.take(serverOwner(config, name));
    const lines = printedLines(output, (text) => redactor.redact(text));
    const printed = printedError(lines, dirname(configPath));
    const checked = {
      ...withoutSecrets(report, redactor),
      hasAgent: hasAgent(config, name),
      printed,
    };
    reports.push(checked);
    request.onReport(checked);
  }
  return reports;
}

/** Facts about the model that are known without asking its service. */
function modelFacts(
  { model_name: name, max_total_tokens }: Config,
  { on_image }: EnvironmentConfig,
): Pick<EnvironmentCheckOptions, "maxTotalTokens" | "readsImages"> {
  const embedded = EMBEDDED_MODELS.find((model) => model.name === name);
  const context = contextOf(name) ?? embedded?.contextTokens ?? Number.POSITIVE_INFINITY;
  const readsImages = embedded === undefined ? findLineUpModel(name)?.readsImages : false;
  return {
    maxTotalTokens: Math.min(max_total_tokens, context),
    readsImages: on_image === "placeholder" ? true : readsImages,
  };
}

/** The user's configuration, reduced to the environments to check. */
async function writtenConfig(
  fileSystem: FileSystem,
  request: EnvironmentCheckRequest,
): Promise<LoadedConfig | null> {
  const { configPath, overrides, url, names, allowedOrigins } = request;
  if (url !== null) return null;
  if (configPath === null) return nearbyConfig(fileSystem, request);
  const start = await startConfig(fileSystem, { configPath, overrides });
  const loaded = await loadNamed(start, { allowedOrigins });
  const { environments } = loaded.config;
  for (const name of names) {
    if (Object.hasOwn(environments, name)) continue;
    throw noSuch("environment", name, Object.keys(environments));
  }
  const wanted = Object.entries(environments).filter(
    ([name]) => names.length === 0 || names.includes(name),
  );
  const config = { ...loaded.config, environments: Object.fromEntries(wanted), evaluation: null };
  return { ...loaded, config };
}

/** The configuration in the working directory, if it exists and has all of the names. */
async function nearbyConfig(
  fileSystem: FileSystem,
  request: EnvironmentCheckRequest,
): Promise<LoadedConfig | null> {
  const configPath = join(request.folder, DEFAULT_CONFIG);
  try {
    return await writtenConfig(fileSystem, { ...request, configPath });
  } catch (error) {
    if (isAppError(error, "config-not-found", "no-such-environment")) return null;
    throw error;
  }
}

/** A minimal configuration with these names, or with all environments of the server. */
async function configOfNames(
  request: EnvironmentCheckRequest,
  options: ConnectionOptions,
): Promise<Config> {
  if (request.names.length > 0) return options.config;
  const names = await namesAt(options);
  if (names.length > 0) return bareConfig(request, names);
  throw new AppError("environment-not-found", `The server at ${request.url} has no environments.`);
}

/** @throws AppError `bad-arguments` */
function namedConfig(request: EnvironmentCheckRequest): Config {
  if (request.names.length > 0) return bareConfig(request, request.names);
  if (request.url !== null) return bareConfig(request, ["any"]);
  throw new AppError(
    "bad-arguments",
    `env check needs the name of an environment, --config_path or --url: there is no ${DEFAULT_CONFIG} here.`,
  );
}

function bareConfig({ url, overrides }: EnvironmentCheckRequest, names: readonly string[]): Config {
  // Required keys whose values do not matter here.
  const text = JSON.stringify({
    model_name: "local/tiny-tool",
    openreward_base_url: url,
    batch_size: 1,
    environments: Object.fromEntries(
      names.map((name) => [name, { splits: { train: {} }, num_rollouts: 2 }]),
    ),
  });
  const result = parseConfig(text, { path: "", overrides });
  if (result.ok) return result.config;
  // Positions in this text would mean nothing to the user.
  const lines = result.problems.map((each) =>
    describeProblem({ ...each, at: null }, "command line"),
  );
  throw new AppError("config-invalid", lines.join("\n"));
}

/** The key is sent where training would send it. @throws AppError `environment-*`, `key-host-not-allowed` */
async function namesAt(options: ConnectionOptions): Promise<readonly string[]> {
  const { cleanup, log, control, redactor } = options;
  const address = environmentAddress(options);
  if (address.key !== null) redactor.learn(address.key);
  const http = redactingRefusals(createHttpClient(), redactor);
  const release = cleanup.add(() => http.close());
  const clock = systemClock;
  const { url: baseUrl, key: apiKey, keySource } = address;
  await checkReachable({ ...address, source: "--url", http, clock, signal: control.signal });
  const wire = { http, clock, random: systemRandom, log, userAgent: USER_AGENT };
  const connection = connectEnvironments({ ...wire, baseUrl, apiKey, keySource });
  const names = await connection.names({ signal: control.signal });
  release();
  await http.close();
  return names;
}

function withoutSecrets(report: EnvironmentReport, redactor: Redactor): EnvironmentReport {
  return JSON.parse(JSON.stringify(report), (_, value: unknown) =>
    typeof value === "string" ? redactor.redact(value) : value,
  );
}
