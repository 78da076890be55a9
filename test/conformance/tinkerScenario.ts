/** Plays the steps of a recorded session with this program's client. */

import { readFile } from "node:fs/promises";
import * as z from "zod";
import type { ServiceClient } from "../../src/core/tinker/serviceClient.ts";
import type { TrainingClient } from "../../src/core/tinker/trainingClient.ts";
import type { Datum } from "../../src/core/tinker/wire/datum.ts";

const metadata = z.record(z.string(), z.string()).optional();
const numbers = z.array(z.number());
const reference = z.string();
const datumSchema = z
  .object({ input: numbers, target: numbers })
  .catchall(numbers)
  .transform(
    ({ input, target, ...others }): Datum => ({
      tokens: input,
      lossInputs: { target_tokens: target, ...others },
    }),
  );
const loss = {
  model: reference,
  loss: z.string(),
  config: z.record(z.string(), z.number()).optional(),
  data: z.array(datumSchema),
};
const save = {
  model: reference,
  name: z.string(),
  ttl_seconds: z.number().optional(),
  user_metadata: metadata,
};
const adam = z.object({
  learning_rate: z.number(),
  beta1: z.number(),
  beta2: z.number(),
  eps: z.number(),
  weight_decay: z.number(),
  grad_clip_norm: z.number(),
});
const params = z.object({
  max_tokens: z.number(),
  temperature: z.number().default(1),
  top_p: z.number().default(1),
  top_k: z.number().default(-1),
  seed: z.number().optional(),
  stop: z.union([numbers, z.array(z.string())]).optional(),
});

const stepSchema = z.discriminatedUnion("op", [
  z.object({
    op: z.literal("service"),
    user_metadata: z.record(z.string(), z.string()),
    project_id: z.string(),
    display_name: z.string(),
  }),
  z.object({
    op: z.literal("create_lora"),
    as: z.string(),
    rank: z.number(),
    seed: z.number().optional(),
    user_metadata: metadata,
  }),
  z.object({ op: z.literal("sampler_ephemeral"), model: reference, as: z.string() }),
  z.object({
    op: z.literal("sample"),
    sampler: reference,
    prompt: numbers,
    num_samples: z.number(),
    params,
  }),
  z.object({ op: z.literal("prompt_logprobs"), sampler: reference, prompt: numbers }),
  z.object({ op: z.literal("forward_backward"), as: z.string(), ...loss }),
  z.object({ op: z.literal("forward"), ...loss }),
  z.object({ op: z.literal("optim_step"), model: reference, as: z.string(), adam }),
  z.object({ op: z.literal("await"), of: z.array(reference) }),
  z.object({ op: z.literal("save_state"), ...save }),
  z.object({ op: z.literal("save_sampler"), as: z.string(), ...save }),
  z.object({ op: z.literal("sampler_from_path"), path_of: reference, as: z.string() }),
  z.object({
    op: z.literal("resume"),
    as: z.string(),
    from_model: reference,
    name: z.string(),
    optimizer: z.boolean(),
    user_metadata: metadata,
  }),
  z.object({ op: z.literal("list_checkpoints"), model: reference }),
  z.object({
    op: z.literal("set_ttl"),
    model: reference,
    checkpoint: z.string(),
    ttl_seconds: z.number().nullable(),
  }),
  z.object({ op: z.literal("delete_checkpoint"), model: reference, checkpoint: z.string() }),
  z.object({
    op: z.literal("finish"),
    status: z.enum(["success", "errored", "interrupted"]),
    detail: z.string(),
  }),
]);
type Step = z.output<typeof stepSchema>;
type StepOf<Op extends Step["op"]> = Extract<Step, { op: Op }>;

const scenarioSchema = z.object({
  server: z.object({ model: z.string() }),
  steps: z.array(stepSchema),
  fault_scripts: z.record(z.string(), z.array(z.unknown())),
});
export type Scenario = z.output<typeof scenarioSchema>;

export async function readScenario(path: string): Promise<Scenario> {
  return scenarioSchema.parse(JSON.parse(await readFile(path, "utf8")));
}

/** Connects with the session's tags and metadata. */
export type Connect = (service: StepOf<"service">) => Promise<ServiceClient>;

export async function playScenario(scenario: Scenario, connect: Connect): Promise<void> {
  const [first, ...steps] = scenario.steps;
  if (first?.op !== "service") throw new Error("a scenario begins with its service");
  const player = new Player(await connect(first), scenario.server.model);
  for (const step of steps) await player.play(step);
}

/** Objects created by the steps so far, by name. */
class Named<Value> {
  readonly #values = new Map<string, Value>();

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  get(name: string): Value {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(`no step made ${name}`);
    return value;
  }
}

class Player {
  readonly #service: ServiceClient;
  readonly #baseModel: string;
  readonly #models = new Named<TrainingClient>();
  readonly #samplers = new Named<Awaited<ReturnType<TrainingClient["ephemeralSampler"]>>>();
  readonly #paths = new Named<string>();
  readonly #pending = new Named<Promise<unknown>>();

  constructor(service: ServiceClient, baseModel: string) {
    this.#service = service;
    this.#baseModel = baseModel;
  }

  async play(step: Step): Promise<void> {
    switch (step.op) {
      case "forward_backward":
      case "forward":
      case "optim_step":
      case "await":
        return await this.#train(step);
      case "sampler_ephemeral":
      case "sampler_from_path":
      case "sample":
      case "prompt_logprobs":
        return await this.#sample(step);
      case "save_state":
      case "save_sampler":
        return await this.#save(step);
      case "create_lora":
      case "resume":
        return await this.#makeModel(step);
      default:
        return await this.#manage(step);
    }
  }

  async #train(step: StepOf<"forward_backward" | "forward" | "optim_step" | "await">) {
    if (step.op === "await") {
      for (const name of step.of) await this.#pending.get(name);
      return;
    }
    const model = this.#models.get(step.model);
    if (step.op === "optim_step") {
      this.#pending.set(step.as, model.optimStep(step.adam));
    } else if (step.op === "forward_backward") {
      this.#pending.set(step.as, model.forwardBackward(step.data, step.loss, step.config));
    } else {
      await model.forwardBackward(step.data, step.loss, step.config, { forwardOnly: true });
    }
  }

  async #sample(
    step: StepOf<"sampler_ephemeral" | "sampler_from_path" | "sample" | "prompt_logprobs">,
  ) {
    if (step.op === "sampler_ephemeral") {
      this.#samplers.set(step.as, await this.#models.get(step.model).ephemeralSampler());
    } else if (step.op === "sampler_from_path") {
      const path = this.#paths.get(step.path_of);
      this.#samplers.set(step.as, await this.#service.samplerForPath(path));
    } else if (step.op === "prompt_logprobs") {
      await this.#samplers.get(step.sampler).computeLogprobs(step.prompt);
    } else {
      const { max_tokens: maxTokens, temperature, top_p: topP, top_k: topK } = step.params;
      const { seed, stop } = step.params;
      const request = { prompt: step.prompt, maxTokens, temperature, topP, topK, seed, stop };
      const sampler = this.#samplers.get(step.sampler);
      await Promise.all(Array.from({ length: step.num_samples }, () => sampler.sample(request)));
    }
  }

  async #save(step: StepOf<"save_state" | "save_sampler">) {
    const model = this.#models.get(step.model);
    const options = { ttlSeconds: step.ttl_seconds, userMetadata: step.user_metadata };
    if (step.op === "save_state") await model.saveState(step.name, options);
    else this.#paths.set(step.as, (await model.saveSampler(step.name, options)).path);
  }

  async #makeModel(step: StepOf<"create_lora" | "resume">) {
    const { user_metadata: userMetadata } = step;
    if (step.op === "resume") {
      const path = `tinker://${this.#models.get(step.from_model).modelId}/weights/${step.name}`;
      const load = { optimizer: step.optimizer, userMetadata };
      this.#models.set(step.as, await this.#service.createTrainingClientFromState(path, load));
    } else {
      const { rank, seed } = step;
      const model = { baseModel: this.#baseModel, rank, seed, userMetadata };
      this.#models.set(step.as, await this.#service.createTrainingClient(model));
    }
  }

  async #manage(
    step: StepOf<"service" | "list_checkpoints" | "set_ttl" | "delete_checkpoint" | "finish">,
  ) {
    switch (step.op) {
      case "service":
        throw new Error("a scenario has one service");
      case "finish":
        return await this.#service.finish(step.status, step.detail);
      case "list_checkpoints":
        await this.#service.listCheckpoints(this.#models.get(step.model).modelId);
        return;
      case "set_ttl":
        return await this.#service.setCheckpointTtl(this.#checkpoint(step), step.ttl_seconds);
      case "delete_checkpoint":
        return await this.#service.deleteCheckpoint(this.#checkpoint(step));
    }
  }

  #checkpoint(step: { readonly model: string; readonly checkpoint: string }): string {
    return `tinker://${this.#models.get(step.model).modelId}/${step.checkpoint}`;
  }
}
