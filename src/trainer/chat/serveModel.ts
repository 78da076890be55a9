/** `tinker-rl serve-model`: serves weights on a loopback port over OpenAI's and Anthropic's protocols. */

import { randomBytes } from "node:crypto";
import { ImagePool } from "../../core/chat/imagePool.ts";
import { withOnlyEnvironment } from "../../core/config/taskChoices.ts";
import { EndpointPolicy } from "../../core/endpoint/endpointPolicy.ts";
import { PolicyThreads } from "../../core/endpoint/policyThreads.ts";
import { MAX_REQUESTS, MAX_WAITING, tooManyRequests } from "../../core/endpoint/requestLimits.ts";
import { AppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import { destinationsOf } from "../../core/secrets/destinations.ts";
import type { AllowedOrigin } from "../../core/secrets/hostBinding.ts";
import { redactingLog } from "../../core/secrets/redaction/redactingPorts.ts";
import { Redactor } from "../../core/secrets/redaction/redactor.ts";
import type { UsedTotal } from "../../core/usage/prices.ts";
import { raceAbort } from "../../core/util/abort.ts";
import { Limiter } from "../../core/util/limiter.ts";
import { admitLoopbackNames, createHttpServer } from "../../local/http/httpServer.ts";
import { closeServer, listen } from "../../local/http/listen.ts";
import { systemClock } from "../../node/clock.ts";
import { sha256 } from "../../node/hash.ts";
import { systemRandom } from "../../node/random.ts";
import { loadConfig } from "../config/configFiles.ts";
import { requireNamedByUser } from "../config/requireNamed.ts";
import {
  endpointErrorBody,
  endpointRoutes,
  MAX_REQUEST_BYTES,
} from "../endpoint/endpointRoutes.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import { debugLog } from "../services/debugLog.ts";
import { ChatServices } from "./chatServices.ts";
import { type ChosenModel, chooseModel } from "./chooseModel.ts";
import { type ReadyModel, readyModel } from "./readyModel.ts";

export interface ServeModelRequest {
  /** A checkpoint, a run folder, a model name, or `base` for the configuration's model. */
  readonly target: string;
  /** Null = the run's configuration, or the defaults. */
  readonly configPath: string | null;
  /** `key=value` each. */
  readonly overrides: readonly string[];
  /** 0 = any free one. */
  readonly port: number;
  readonly allowedOrigins: readonly AllowedOrigin[];
  /** Learns the secrets, so that errors printed elsewhere can be redacted. */
  readonly redactor?: Redactor;
  readonly programFolder?: string;
  /** Receives a short message when each startup stage begins. */
  readonly onPart: (what: string) => void;
  /** Receives messages about a service once the model is served; earlier ones are in its notes. */
  readonly onNotice: (message: string) => void;
  /** Aborts the startup with its reason; a served model must be closed instead. */
  readonly signal: AbortSignal;
}

export interface ServedModel {
  /** Without a path. */
  readonly url: string;
  readonly key: string;
  /** Display name. */
  readonly label: string;
  /** Maximum number of tokens in a conversation. */
  readonly maxTotalTokens: number;
  /** Warnings for the user. */
  readonly notes: readonly string[];
  /** Aborted with an AppError if an embedded service dies, and when the server is closed. */
  readonly failed: AbortSignal;
  /** Usage so far. */
  readonly used: () => UsedTotal;
  close(): Promise<void>;
}

const LIMITS = { threads: 512, tokens: 8_000_000, images: 512, whenFull: "forget" } as const;

/** @throws AppError like a chat that cannot open, cleaned of secrets; `listen-failed` */
export async function serveModel(
  fileSystem: FileSystem,
  request: ServeModelRequest,
): Promise<ServedModel> {
  const { redactor = new Redactor() } = request;
  const cleanup = new CleanupStack();
  try {
    const opening = open(fileSystem, { ...request, redactor }, cleanup);
    return await raceAbort(opening, request.signal);
  } catch (error) {
    await cleanup.closeAll();
    throw redactor.redactError(error);
  }
}

async function open(
  fileSystem: FileSystem,
  request: ServeModelRequest & { readonly redactor: Redactor },
  cleanup: CleanupStack,
): Promise<ServedModel> {
  const { redactor, allowedOrigins, programFolder, onPart } = request;
  const notes: string[] = [];
  let onNotice = (message: string): unknown => notes.push(message);
  const services = new ChatServices({
    cleanup,
    redactor,
    allowedOrigins,
    programFolder,
    onNotice: (message) => onNotice(message),
  });
  const chosen = await chooseServed(fileSystem, request);
  notes.push(...(await requireNamed(chosen, request)));
  onPart(`opening ${chosen.label}`);
  const service = await services.model(chosen.loaded);
  const opened = await chosen.open(service);
  const { run } = chosen;
  const ready = await readyModel({
    services,
    service,
    chosen,
    opened,
    environment: null,
    secrets: {},
    run,
  });
  const key = `tinker-rl-${randomBytes(24).toString("base64url")}`;
  redactor.learn(key);
  const { label } = opened;
  const served = { policy: policyOf(ready), name: label, needsLogprobs: false };
  const server = createHttpServer({
    routes: endpointRoutes({
      prefix: "/v1",
      policyOf: () => served,
      clock: systemClock,
      random: systemRandom,
      clean: (error) => redactor.redactError(error),
      signal: services.signal,
    }),
    key,
    log: redactingLog(debugLog, redactor),
    maxBodyBytes: MAX_REQUEST_BYTES,
    admit: admitLoopbackNames,
    errorBody: endpointErrorBody,
  });
  const url = await listen(server, { kind: "port", port: request.port });
  cleanup.add(() => closeServer(server));
  onNotice = request.onNotice;
  return {
    url,
    key,
    label,
    maxTotalTokens: ready.settings.maxTotalTokens,
    notes: [...new Set([...notes, ...ready.warnings])],
    failed: services.signal,
    used: ready.metered.used,
    close: () => cleanup.closeAll(),
  };
}

/** `base` is the configuration's model. @throws AppError `bad-arguments`, `config-*`, and as {@link chooseModel} */
async function chooseServed(
  fileSystem: FileSystem,
  { target, configPath, overrides }: ServeModelRequest,
): Promise<ChosenModel> {
  const wanted = { configPath, overrides, runFolder: null };
  if (target !== "base") return chooseModel(fileSystem, { ...wanted, target });
  if (configPath === null) {
    throw new AppError(
      "bad-arguments",
      "base is the model of a configuration. Specify one with -c FILE, or the name of a model.",
    );
  }
  const { config } = await loadConfig(fileSystem, configPath, overrides);
  return chooseModel(fileSystem, { ...wanted, target: config.model_name });
}

/** Runs before anything is sent: destinations named only by a run folder get no key. @throws AppError `run-destination` */
async function requireNamed(
  { loaded: { config }, run }: ChosenModel,
  { configPath, allowedOrigins }: ServeModelRequest,
): Promise<readonly string[]> {
  if (run === null) return [];
  const wanted = destinationsOf(withOnlyEnvironment(config, null));
  const hasConfig = configPath !== null;
  const also = hasConfig ? [wanted] : [];
  return requireNamedByUser(wanted, { folder: run.folder, also, hasConfig }, { allowedOrigins });
}

/** All callers share one key, so their conversations are distinguished by content. */
function policyOf({ chat, settings, sampler, metered }: ReadyModel): EndpointPolicy {
  const { systemPromptTemplate, maxTotalTokens } = settings;
  const slots = new Limiter(MAX_REQUESTS);
  return new EndpointPolicy({
    chat,
    sampler,
    sampling: settings,
    meter: metered.meter,
    threads: new PolicyThreads({
      chat,
      images: new ImagePool(chat.images),
      systemPromptTemplate,
      maxTotalTokens,
      sha256,
      newCallId: () => `call_${systemRandom.uuid().replaceAll("-", "")}`,
      limits: LIMITS,
    }),
    sampleSlot: async (signal) => {
      if (slots.waiting < MAX_WAITING) return slots.acquire({ signal });
      throw tooManyRequests();
    },
  });
}
