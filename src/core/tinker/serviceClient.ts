/** Connects to one Tinker server and creates the training and sampling clients of one session. */

import * as z from "zod";
import { Limiter } from "../util/limiter.ts";
import { withoutEnd } from "../util/textEdges.ts";
import { Canceller } from "./cancelling.ts";
import { type CheckpointClient, createCheckpointClient } from "./checkpoints.ts";
import {
  type CreatedModel,
  createModel,
  type LoadOptions,
  loadModel,
  type NewModel,
} from "./models.ts";
import {
  noServiceAt,
  openTinker,
  orNullWithout,
  sdkVersion,
  type TinkerAddress,
} from "./openTinker.ts";
import { createOperations, type Operations } from "./operations.ts";
import { checkSamplerPath, checkStatePath } from "./paths.ts";
import { createSamplingClient, type SamplingClient } from "./samplingClient.ts";
import { SamplingGate } from "./samplingGate.ts";
import { type FinishReason, TinkerSession } from "./session.ts";
import { createTrainingClient, type TrainingClient } from "./trainingClient.ts";
import type { TinkerHttp } from "./transport/http.ts";
import { ServerNotice } from "./transport/serverWatch.ts";
import { LossEncoding } from "./wire/lossEncoding.ts";
import {
  type ClientConfig,
  capabilitiesSchema,
  samplerSchema,
  samplingSessionSchema,
} from "./wire/wire.ts";

export interface TinkerOptions extends TinkerAddress {
  readonly tags?: readonly string[];
  /** Shown with the session, for example the run's name. */
  readonly userMetadata?: Readonly<Record<string, string>>;
  readonly displayName?: string;
  readonly projectId?: string;
}

export interface SupportedModel {
  readonly name: string;
  /** In tokens; null if the server does not say. */
  readonly maxContextLength: number | null;
  readonly isTrainable: boolean;
}

/** All calls fail with AppError `tinker-*` (see `TinkerErrorCode`). */
export interface ServiceClient
  extends Pick<
    CheckpointClient,
    "listCheckpoints" | "setCheckpointTtl" | "deleteCheckpoint" | "weightsFacts"
  > {
  /** For messages. */
  readonly address: string;
  /** Null if the server does not list models. @throws AppError also `config-address-invalid` if there is no Tinker server at all */
  capabilities(): Promise<readonly SupportedModel[] | null>;
  createTrainingClient(model: NewModel): Promise<TrainingClient>;
  /** `path` is a `weights` checkpoint; LoRA rank and flags come from it. */
  createTrainingClientFromState(path: string, options: LoadOptions): Promise<TrainingClient>;
  /** `modelPath` is a `sampler_weights` checkpoint. */
  samplerForPath(modelPath: string): Promise<SamplingClient>;
  samplerForBase(baseModel: string): Promise<SamplingClient>;
  /** Starts the session if it has not started yet. */
  sessionId(): Promise<string>;
  /** Ends the session at the service; never fails. */
  finish(reason: FinishReason, detail?: string): Promise<void>;
  /** Stops heartbeats and open polls, but leaves the session open at the service. */
  close(): void;
}

/** How long polls may keep failing without a single answer. */
const noAnswerLimitMs = 15 * 60_000;

export interface Connection {
  readonly options: TinkerOptions;
  readonly tinker: TinkerHttp;
  readonly operations: Operations;
  readonly session: TinkerSession;
  readonly checkpoints: CheckpointClient;
  readonly config: ClientConfig;
  /** False if the server does not have the call for its flags. */
  readonly hasConfig: boolean;
  readonly lossEncoding: LossEncoding;
  /** True = creating models and listing the offered ones wait for an unpaid bill. */
  readonly waitsForBills: boolean;
  readonly samplerFor: (samplerId: string, baseModel: string | null) => SamplingClient;
}

/**
 * Reads the server's flags; the session itself starts with the first model or sampler.
 * @throws AppError `tinker-auth` for a key that cannot belong to the hosted service, and `tinker-*` like all calls
 */
export async function connectTinker(options: TinkerOptions): Promise<ServiceClient> {
  const connection = await connect(options);
  const { session, checkpoints } = connection;
  return {
    ...checkpoints,
    address: withoutEnd(options.baseUrl, /\//),
    capabilities: () => capabilities(connection.tinker, connection),
    createTrainingClient: async (model) =>
      trainingClient(connection, await createModel(connection, model)),
    createTrainingClientFromState: async (path, load) => {
      checkStatePath(path);
      return trainingClient(connection, await loadModel(connection, path, load));
    },
    samplerForPath: async (modelPath) => {
      checkSamplerPath(modelPath);
      return await samplerForPath(connection, modelPath);
    },
    samplerForBase: async (baseModel) => {
      const id = await createSamplingSession(connection, { base_model: baseModel });
      return connection.samplerFor(id, baseModel);
    },
    sessionId: () => session.id(),
    finish: (reason, detail) => session.finish(reason, detail ?? null),
    close: () => session.close(),
  };
}

/** Prepares a session, which starts with its first model or sampler. @throws AppError `tinker-*` */
export async function connect(options: TinkerOptions): Promise<Connection> {
  const { clock, random, log } = options;
  const { tinker, config, billingPauseMs, hasConfig } = await openTinker(options);
  const waitsForBills = options.waitsForBills === "all";
  const session = new TinkerSession({
    tinker,
    clock,
    log,
    onMessage: options.onMessage,
    waitsForBills,
    body: {
      tags: options.tags ?? [],
      user_metadata: options.userMetadata ?? {},
      sdk_version: sdkVersion,
      project_id: options.projectId,
      display_name: options.displayName,
      type: "create_session",
    },
  });
  const operations = createOperations(
    {
      tinker,
      clock,
      log,
      noAnswerLimitMs,
      billingPauseMs,
      resultBytes: new Limiter(Math.ceil(config.inflight_response_bytes_semaphore_size)),
      pauses: new ServerNotice(options, {
        begin: (reason) => `It has paused requests (${reason}). They continue by themselves.`,
        end: "It continues with requests.",
      }),
    },
    session,
  );
  const sampling = {
    operations,
    session,
    clock,
    random,
    gate: new SamplingGate({ clock, promptBytes: config.sample_dispatch_bytes_semaphore_size }),
    canceller: new Canceller({ tinker, clock, log, sdkVersion, signal: session.signal }),
    mayResubmit: !config.sample_no_retries,
  };
  return {
    options,
    tinker,
    operations,
    session,
    checkpoints: createCheckpointClient(tinker),
    config,
    hasConfig,
    waitsForBills,
    lossEncoding: new LossEncoding(() =>
      options.onMessage?.({
        level: "info",
        text: "It accepts training data only as JSON, like servers before version 0.25 of Tinker's client, so requests are larger.",
      }),
    ),
    samplerFor: (samplerId, baseModel) =>
      createSamplingClient({ ...sampling, samplerId, baseModel }),
  };
}

async function isHealthKnown(tinker: TinkerHttp): Promise<boolean> {
  const request = { method: "GET", path: "healthz" } as const;
  return (await orNullWithout(tinker.call(request, z.unknown()))) !== null;
}

/**
 * The models that the server offers; null if the server does not have the call.
 * @throws AppError `tinker-*`; `config-address-invalid` if the server has neither flags nor a health check
 */
export async function capabilities(
  tinker: TinkerHttp,
  {
    hasConfig,
    options,
    waitsForBills,
  }: Pick<Connection, "hasConfig" | "waitsForBills"> & {
    readonly options: TinkerAddress;
  },
): Promise<readonly SupportedModel[] | null> {
  const request = { method: "GET", path: "get_server_capabilities" } as const;
  const answer = await orNullWithout(tinker.call(request, capabilitiesSchema, { waitsForBills }));
  if (answer === null) {
    // An older server has neither this call nor flags.
    const isThere = hasConfig || (await isHealthKnown(tinker));
    if (!isThere) throw noServiceAt(options);
    return null;
  }
  return answer.supported_models.flatMap((model) =>
    model.model_name === null
      ? []
      : {
          name: model.model_name,
          maxContextLength: model.max_context_length,
          isTrainable: model.trainable ?? true,
        },
  );
}

function trainingClient(connection: Connection, model: CreatedModel): TrainingClient {
  const { clock, random } = connection.options;
  return createTrainingClient({ ...connection, clock, random, ...model });
}

async function samplerForPath(connection: Connection, path: string): Promise<SamplingClient> {
  const { tinker, session, samplerFor } = connection;
  const id = await createSamplingSession(connection, { model_path: path });
  const request = { method: "GET", path: `samplers/${id}`, signal: session.signal } as const;
  const sampler = await orNullWithout(tinker.call(request, samplerSchema));
  return samplerFor(id, sampler?.base_model ?? null);
}

async function createSamplingSession(
  { tinker, session }: Connection,
  weights: { readonly base_model: string } | { readonly model_path: string },
): Promise<string> {
  const samplerNumber = session.reserveSamplerNumber();
  const body = {
    session_id: await session.id(),
    sampling_session_seq_id: samplerNumber,
    ...weights,
    type: "create_sampling_session",
  };
  const created = await tinker.call(
    { method: "POST", path: "create_sampling_session", body, signal: session.signal },
    samplingSessionSchema,
  );
  return created.sampling_session_id;
}
