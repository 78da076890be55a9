/** The client over real sockets: a compatible server with gaps, and the embedded engine behind a proxy with a prefix. */

import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Sample } from "../../src/core/tinker/samplingClient.ts";
import { connectTinker, type ServiceClient } from "../../src/core/tinker/serviceClient.ts";
import type { Datum } from "../../src/core/tinker/wire/datum.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createHttpClient } from "../../src/node/http.ts";
import { systemRandom } from "../../src/node/random.ts";
import { type LocalService, startEngine } from "../../src/trainer/services/localServices.ts";
import { ADAM } from "../fakes/fakeTinker.ts";
import { folderOfAllTests } from "../fakes/onDisk.ts";
import { silentLog } from "../fakes/silentLog.ts";
import { type Gateway, startGateway } from "./tinkerServersProxy.ts";
import { type Stub, startStub } from "./tinkerServersStub.ts";
import { PROGRAM_FOLDER } from "./trainProgram.ts";

const http = createHttpClient();
const opened: { close(): void }[] = [];
afterEach(() => {
  for (const each of opened.splice(0).toReversed()) each.close();
});
afterAll(() => http.close());

async function connect(baseUrl: string): Promise<ServiceClient> {
  const service = await connectTinker({
    http,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    baseUrl,
    apiKey: "tml-test",
  });
  opened.push(service);
  return service;
}

const adam = { ...ADAM, learning_rate: 1e-2 };
const sampling = { maxTokens: 4, temperature: 1, topK: -1, topP: 1, seed: 7 };

function aDatum(sampled: Sample["tokens"], logprobs: Sample["logprobs"]): Datum {
  const stream = [5, 6, ...sampled];
  const shifted = (values: Iterable<number>) => [0, ...values];
  return {
    tokens: stream.slice(0, -1),
    lossInputs: {
      target_tokens: stream.slice(1),
      logprobs: shifted(logprobs ?? []),
      advantages: shifted(Array.from(sampled, () => 1)),
    },
  };
}

describe.each([
  ["that reads binary data", true],
  ["of the JSON generation", false],
])("a compatible server with gaps, %s", (_name, readsBinary) => {
  async function open(): Promise<{ readonly service: ServiceClient; readonly stub: Stub }> {
    const stub = await startStub({ readsBinary });
    opened.push(stub);
    return { stub, service: await connect(stub.url) };
  }

  it("can be trained on for a whole step, and continued from", async () => {
    const { service, stub } = await open();
    const model = await service.createTrainingClient({ baseModel: "any/model", rank: 8 });
    const sampler = await model.ephemeralSampler();
    const sample = await sampler.sample({ ...sampling, prompt: [5, 6], stop: [9] });
    expect(sample).toMatchObject({
      tokens: Int32Array.of(11, 9),
      logprobs: Float32Array.of(-0.5, -0.25),
    });
    expect(await sampler.computeLogprobs([5, 6, 11])).toEqual([null, -6, -11]);

    const loss = model.forwardBackward([aDatum(sample.tokens, sample.logprobs)], "ppo");
    const step = model.optimStep(adam);
    const next = model.ephemeralSampler();
    expect((await loss).outputs).toEqual([{ logprobs: Float32Array.of(-6, -11, -9) }]);
    expect((await loss).metrics).toEqual({});
    expect((await step).metrics).toEqual({ "server/grad_norm": 0.5 });
    expect((await next).samplerId).not.toBe(sampler.samplerId);

    const { path } = await model.saveState("step-1");
    const resumed = await service.createTrainingClientFromState(path, { optimizer: true });
    expect(resumed.modelId).not.toBe(model.modelId);
    expect(stub.calls.filter((call) => call.path === "load_weights").at(-1)?.body).toMatchObject({
      model_id: resumed.modelId,
      seq_id: 1,
      path,
    });
    await resumed.optimStep(adam);
    await service.finish("success");
    expect(stub.calls.at(-1)?.path).toBe("sessions/session1/finish");
  });

  it("may name stored samplers in its own way", async () => {
    const { service } = await open();
    const model = await service.createTrainingClient({ baseModel: "any/model", rank: 8 });
    const { path } = await model.saveSampler("sampler-1");
    expect(path).toBe(`tinker://${model.modelId}/sampler-1`);
    const sampler = await service.samplerForPath(path);
    await expect(sampler.sample({ ...sampling, prompt: [5] })).resolves.toMatchObject({
      stopReason: "stop",
    });
  });

  it("reports failed work by a refused poll, and takes the next", async () => {
    const { service } = await open();
    const model = await service.createTrainingClient({ baseModel: "any/model", rank: 8 });
    await expect(
      model.forwardBackward([aDatum([9], [-1])], "dro", { beta: 0.1 }),
    ).rejects.toMatchObject({
      code: "tinker-request-failed",
      data: { detail: "Unknown loss function: dro" },
    });
    await expect(model.optimStep(adam)).resolves.toBeDefined();
  });

  it("says at once that a name is taken", async () => {
    const { service } = await open();
    const model = await service.createTrainingClient({ baseModel: "any/model", rank: 8 });
    await model.saveState("step-1");
    await expect(model.saveState("step-1")).rejects.toMatchObject({ code: "tinker-conflict" });
  });
});

describe("the embedded engine behind a proxy with a path prefix", () => {
  const previousStore = process.env["TINKER_RL_STORE"];
  const folder = folderOfAllTests();
  let engine: LocalService;
  let gateway: Gateway;

  beforeAll(async () => {
    process.env["TINKER_RL_STORE"] = join(folder, "checkpoints");
    engine = await startEngine({ folder: PROGRAM_FOLDER });
    const { socketPath } = engine;
    gateway = await startGateway({ upstream: { socketPath }, prefix: "/gateway/models" });
  });
  afterAll(async () => {
    gateway.close();
    await engine.close();
    if (previousStore === undefined) delete process.env["TINKER_RL_STORE"];
    else process.env["TINKER_RL_STORE"] = previousStore;
  });

  it("trains, saves, and continues from a checkpoint with the same weights", async () => {
    const service = await connect(gateway.url);
    const [model] = (await service.capabilities()) ?? [];
    const baseModel = model?.name ?? "";
    const client = await service.createTrainingClient({ baseModel, rank: 4, seed: 1 });
    const sampler = await client.ephemeralSampler();
    const request = { ...sampling, prompt: [5, 6] };
    const sample = await sampler.sample(request);
    expect(await sampler.sample(request)).toMatchObject({ tokens: sample.tokens });
    const scores = await sampler.computeLogprobs([5, 6, ...sample.tokens]);
    expect(scores[0]).toBeNull();
    sample.logprobs?.forEach((logprob, i) => {
      expect(scores[2 + i]).toBeCloseTo(logprob, 4);
    });

    const data = [aDatum(sample.tokens, sample.logprobs)];
    const forwardOnly = { forwardOnly: true };
    const [before] = await Promise.all([
      client.forwardBackward(data, "importance_sampling"),
      client.optimStep(adam),
    ]);
    const after = await client.forwardBackward(data, "importance_sampling", {}, forwardOnly);
    expect(after.outputs).not.toEqual(before.outputs);

    const { path } = await client.saveState("step-1");
    const resumed = await service.createTrainingClientFromState(path, { optimizer: true });
    const again = await resumed.forwardBackward(data, "importance_sampling", {}, forwardOnly);
    expect(again.outputs).toEqual(after.outputs);
    await service.finish("success");
  });
});
