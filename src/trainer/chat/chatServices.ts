/** Services for chats: each is connected on first use and shared by all models of the chat. */

import { dirname } from "node:path";
import { tokenizerNameOf } from "../../core/chat/modelName.ts";
import type { ModelTokenizer } from "../../core/chat/tokenizer.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { withOnlyEnvironment } from "../../core/config/taskChoices.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import type { RemoteEnvironment } from "../../core/openreward/types.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import type { ServiceClient } from "../../core/tinker/serviceClient.ts";
import { RunControl } from "../../core/training/run/control.ts";
import { proxyPasswords } from "../../node/proxy.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import { loadTokenizer } from "../models/loadTokenizer.ts";
import { HUB_TOKEN } from "../models/tokenizerFolder.ts";
import type { CleanupStack } from "../services/cleanupStack.ts";
import {
  type ConnectionOptions,
  connectEnvironmentServices,
  connectModelService,
} from "../services/connections.ts";
import { environmentSecrets } from "../services/environmentSecrets.ts";
import { type ConnectionRequest, connectionsOf, localPrograms } from "../services/outsideOfRuns.ts";
import { loadVariables, type Variables } from "../services/variables.ts";

export interface ChatServicesOptions extends ConnectionRequest {
  readonly cleanup: CleanupStack;
  /** Learns every secret found along the way. */
  readonly redactor: Redactor;
  /** Receives messages from a service to its user. */
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
    // Added first and thus closed last: aborts connections that are still being made.
    options.cleanup.add(async () => this.#control.stop());
  }

  /** Aborted when the chat closes, or with the error that ended an embedded service. */
  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** Embedded or hosted, depending on the model's name. @throws AppError `key-*`, `local-service`, `tinker-*` */
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
      const { allowedOrigins = [], programFolder } = this.#options;
      const access = { variables, allowedOrigins };
      return loadTokenizer(name, localPrograms(programFolder), path, access);
    });
  }

  /** @throws AppError `key-*`, `local-service`, `environment-*` */
  async environment(loaded: LoadedConfig, name: string): Promise<RemoteEnvironment> {
    const only = { ...loaded, config: withOnlyEnvironment(loaded.config, name) };
    const connect = await connectEnvironmentServices(await this.#connection(only));
    return connect(name);
  }

  /** Secrets for the environment's sessions. @throws AppError `secret-*` */
  async secrets({ config, path }: LoadedConfig, name: string) {
    const variables = await this.#variables(path);
    return environmentSecrets(config, name, { variables, redactor: this.#options.redactor });
  }

  #variables(configPath: string): Promise<Variables> {
    return loadVariables(dirname(configPath), this.#options.launchRequest);
  }

  async #connection({ config, path }: LoadedConfig): Promise<ConnectionOptions> {
    const { redactor, cleanup, onNotice } = this.#options;
    const own = { config, configPath: path, runName: "chat" };
    const surroundings = { redactor, cleanup, control: this.#control };
    const connections = await connectionsOf(this.#options, { ...own, ...surroundings });
    return {
      ...connections,
      waitsForBills: "none",
      watch: (event) => {
        if (event.kind === "warning" || event.kind === "notice") onNotice(event.message);
      },
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
