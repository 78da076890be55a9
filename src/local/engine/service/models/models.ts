/** All models being trained in this process. */

import type { Clock } from "../../../../core/ports.ts";
import { refusal } from "../../../http/refusal.ts";
import type { Engine } from "../../engine.ts";
import type { UserMetadata } from "../checkpoints/checkpointRecord.ts";
import type { Sessions } from "./sessions.ts";
import { TrainedModel } from "./trainedModel.ts";

export interface ModelsOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly sessions: Sessions;
}

export class Models {
  readonly #options: ModelsOptions;
  readonly #models = new Map<string, TrainedModel>();

  constructor(options: ModelsOptions) {
    this.#options = options;
  }

  /** @throws AppError `http-refused` 404 or 400 if the session is unknown or finished */
  add(sessionId: string, id: string, userMetadata: UserMetadata): TrainedModel {
    const { engine, clock, sessions } = this.#options;
    sessions.checkOpen(sessionId);
    const model = new TrainedModel({ id, sessionId, userMetadata, engine, clock });
    this.#models.set(id, model);
    sessions.addModel(sessionId, id);
    return model;
  }

  list(): readonly TrainedModel[] {
    return [...this.#models.values()];
  }

  find(id: string): TrainedModel | undefined {
    return this.#models.get(id);
  }

  /** @throws AppError `http-refused` 404 for an unknown model, 400 if its session has finished */
  get(id: string): TrainedModel {
    const model = this.#models.get(id);
    if (model === undefined) throw refusal(404, `There is no model ${id}.`);
    this.#options.sessions.checkOpen(model.sessionId);
    model.touch();
    return model;
  }

  /** Resolves once the model has finished its work and released its adapter; it stays known but refuses work. */
  async unload(id: string): Promise<void> {
    await this.#models.get(id)?.close();
  }
}
