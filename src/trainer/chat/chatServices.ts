/** The services of conversations: each is connected when it is first needed, and shared by models beside each other. */

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { tokenizerNameOf } from "../../core/chat/modelName.ts";
import type { ModelTokenizer } from "../../core/chat/tokenizer.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { writtenSecrets } from "../../core/config/secretValues.ts";
import { withOnlyEnvironment } from "../../core/config/taskChoices.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import type { RemoteEnvironment } from "../../core/openreward/types.ts";
import type { AllowedOrigin } from "../../core/secrets/hostBinding.ts";
import { redactingLog } from "../../core/secrets/redaction/redactingPorts.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import type { ServiceClient } from "../../core/tinker/serviceClient.ts";
import { RunControl } from "../../core/training/run/control.ts";
import { proxyPasswords } from "../../node/proxy.ts";
import type { LaunchRequest } from "../../shared/control.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import { loadTokenizer } from "../models/loadTokenizer.ts";
import { HUB_TOKEN } from "../models/tokenizerFolder.ts";
import type { CleanupStack } from "../services/cleanupStack.ts";
import {
  type ConnectionOptions,
  connectEnvironmentServices,
  connectModelService,
} from "../services/connections.ts";
import { debugLog } from "../services/debugLog.ts";
import { environmentSecrets } from "../services/environmentSecrets.ts";
import { loadVariables, type Variables } from "../services/variables.ts";

export interface ChatServicesOptions {
  readonly cleanup: CleanupStack;
  /** Learns every secret on the way. */
  readonly redactor: Redactor;
  /** Where keys may go by the user's word. */
  readonly allowedOrigins: readonly AllowedOrigin[];
  /** What an editor handed over; absent for a terminal. */
  readonly launchRequest?: LaunchRequest | undefined;
  /** Where environments and model lie; default: beside the running program. */
  readonly programFolder?: string | undefined;
  /** Called with a sentence about what a service says to its user. */
  readonly onNotice: (message: string) => void;
}

export class ChatServices {
  readonly #options: ChatServicesOptions;
  readonly #control = new RunControl();
  readonly #models = new Map<string, Promise<ServiceClient>>();
  readonly #tokenizers = new Map<string, Promise<ModelTokenizer>>();

  constructor(options: ChatServicesOptions) {
    this.#options = options;
    for (const secret of proxyPasswords(process.env)) options.redactor.learn(secret);
    // Comes last: what still tries to connect gives up.
    options.cleanup.add(async () => this.#control.stop());
  }

  /** Aborted with what ended an embedded service. */
  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** Embedded or hosted, as the model's name says. @throws AppError `key-*`, `local-service`, `tinker-*` */
  model(loaded: LoadedConfig): Promise<ServiceClient> {
    const { model_name, tinker_base_url } = loaded.config;
    const place = isLocalModel(model_name) ? "embedded" : (tinker_base_url ?? "hosted");
    return once(this.#models, place, async () => {
      const { service } = await connectModelService(await this.#connection(loaded)).catch(
        (error: unknown) => {
          throw isAppError(error, "key-missing") ? withoutKey(model_name, error) : error;
        },
      );
      this.#options.cleanup.add(() => service.finish("success"));
      return service;
    });
  }

  /** @throws AppError `tokenizer-*` */
  tokenizer({ config, path }: LoadedConfig): Promise<ModelTokenizer> {
    const name = tokenizerNameOf(config);
    return once(this.#tokenizers, name, async () => {
      const variables = await this.#variables(path);
      this.#options.redactor.learn(variables(HUB_TOKEN)?.value ?? "");
      const { allowedOrigins } = this.#options;
      return loadTokenizer(name, this.#programs, path, { variables, allowedOrigins });
    });
  }

  /** @throws AppError `key-*`, `local-service`, `environment-*` */
  async environment(loaded: LoadedConfig, name: string): Promise<RemoteEnvironment> {
    const only = { ...loaded, config: withOnlyEnvironment(loaded.config, name) };
    const connect = await connectEnvironmentServices(await this.#connection(only));
    return connect(name);
  }

  /** Values for the environment. @throws AppError `secret-*` */
  async secrets({ config, path }: LoadedConfig, name: string) {
    const variables = await this.#variables(path);
    return environmentSecrets(config, name, { variables, redactor: this.#options.redactor });
  }

  get #programs() {
    const { programFolder } = this.#options;
    return { folder: programFolder ?? dirname(fileURLToPath(import.meta.url)) };
  }

  #variables(configPath: string): Promise<Variables> {
    return loadVariables(dirname(configPath), this.#options.launchRequest);
  }

  async #connection({ config, path }: LoadedConfig): Promise<ConnectionOptions> {
    const { redactor, cleanup, allowedOrigins, onNotice } = this.#options;
    for (const secret of writtenSecrets(config)) redactor.learn(secret);
    return {
      config,
      configPath: path,
      datasets: new Map(),
      redactor,
      cleanup,
      allowedOrigins,
      variables: await this.#variables(path),
      programs: this.#programs,
      log: redactingLog(debugLog, redactor),
      watch: (event) => {
        if (event.kind === "warning" || event.kind === "notice") onNotice(event.message);
      },
      control: this.#control,
      runName: "chat",
    };
  }
}

function withoutKey(model: string, { data, cause }: AppError): AppError {
  return new AppError(
    "key-missing",
    `${model} is at Tinker, which needs TINKER_API_KEY. Set it in the environment or in a .env file next to the configuration. Without a key, you can talk to local/tiny-tool and to checkpoints of local runs.`,
    { data, cause },
  );
}

function once<T>(made: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const known = made.get(key) ?? make();
  made.set(key, known);
  return known;
}
