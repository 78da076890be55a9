/** A TrainingClient that records its calls in order and answers on the test's command. */

import type { SamplingClient } from "../../../src/core/tinker/samplingClient.ts";
import type { SaveOptions, TrainingClient } from "../../../src/core/tinker/trainingClient.ts";
import type { Datum } from "../../../src/core/tinker/wire/datum.ts";
import type {
  ForwardBackwardResult,
  LossConfig,
} from "../../../src/core/tinker/wire/forwardBackwardProto.ts";
import type { AdamParams } from "../../../src/core/tinker/wire/wire.ts";

export interface LossCall {
  readonly data: readonly Datum[];
  readonly lossFn: string;
  readonly lossConfig: LossConfig;
  readonly forwardOnly: boolean;
}

/** A save that the test confirms or fails. */
export interface PendingSave {
  readonly name: string;
  readonly options: SaveOptions;
  confirm(): void;
  fail(error: Error): void;
}

export class FakeTrainingClient implements TrainingClient {
  readonly modelId = "S:train:0";
  /** Names of all calls, in order. */
  readonly calls: string[] = [];
  readonly lossCalls: LossCall[] = [];
  readonly adamCalls: AdamParams[] = [];
  readonly stateSaves: PendingSave[] = [];
  readonly samplerSaves: PendingSave[] = [];
  /** Computes losses; by default every target has log-prob -1 and the loss is the number of datums. */
  answer: (call: LossCall) => ForwardBackwardResult = (call) => resultOf(call, -1);
  /** Every answer waits for this promise. */
  hold: Promise<void> = Promise.resolve();
  /** False: the test confirms every save. */
  confirmsSaves = true;
  /** The sampler that it returns for any weights. */
  sampler: SamplingClient = {
    samplerId: "next",
    baseModel: null,
    sample: () => Promise.reject(new Error("nothing is sampled here")),
    computeLogprobs: () => Promise.reject(new Error("nothing is sampled here")),
  };

  info() {
    return {
      modelId: this.modelId,
      baseModel: "org/model",
      loraRank: 8,
    };
  }

  async forwardBackward(
    data: readonly Datum[],
    lossFn: string,
    lossConfig: LossConfig = {},
    { forwardOnly = false }: { readonly forwardOnly?: boolean } = {},
  ): Promise<ForwardBackwardResult> {
    const call = { data, lossFn, lossConfig, forwardOnly };
    this.calls.push(forwardOnly ? "forward" : "forwardBackward");
    this.lossCalls.push(call);
    await this.hold;
    return this.answer(call);
  }

  async optimStep(params: AdamParams) {
    this.calls.push("optimStep");
    const norm = this.adamCalls.push(params);
    await this.hold;
    return { metrics: { "grad_norm:mean": norm } };
  }

  saveState(name: string, options: SaveOptions = {}): Promise<{ readonly path: string }> {
    this.calls.push(`saveState ${name}`);
    return this.#save(this.stateSaves, `tinker://S:train:0/weights/${name}`, name, options);
  }

  saveSampler(name: string, options: SaveOptions = {}): Promise<{ readonly path: string }> {
    this.calls.push(`saveSampler ${name}`);
    const path = `tinker://S:train:0/sampler_weights/${name}`;
    return this.#save(this.samplerSaves, path, name, options);
  }

  async ephemeralSampler(): Promise<SamplingClient> {
    this.calls.push("ephemeralSampler");
    await this.hold;
    return this.sampler;
  }

  #save(saves: PendingSave[], path: string, name: string, options: SaveOptions) {
    return new Promise<{ readonly path: string }>((resolve, reject) => {
      saves.push({ name, options, confirm: () => resolve({ path }), fail: reject });
      if (this.confirmsSaves) resolve({ path });
    });
  }
}

/** The same log-prob for every target. */
export function resultOf(call: LossCall, logprob: number): ForwardBackwardResult {
  return {
    outputs: call.data.map(({ tokens }) => ({
      logprobs: new Float32Array(tokens.length).fill(logprob),
    })),
    metrics: { "loss:sum": call.data.length, "tokens:mean": call.data.length },
  };
}
