import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine, SampledSequence, Snapshot } from "../../../src/local/engine/engine.ts";
import { folderOfAllTests } from "../../fakes/onDisk.ts";
import {
  CROSS_ENTROPY,
  datumOf,
  sampleRequest,
  startEngine,
  TINY,
  trainStep,
  writeTinyModel,
} from "./engineFixture.ts";

const OPTIONS = { rank: 8, seed: 3, trainAttn: true, trainMlp: true };
const CONVERSATION = Int32Array.from({ length: 30 }, (_, i) => (i * 37) % TINY.vocabSize);

const folder = folderOfAllTests();
let engine: Engine;
let snapshot: Snapshot;

beforeAll(async () => {
  await writeTinyModel(folder);
  engine = await startEngine(folder, 2);
  snapshot = await trainedSnapshot(engine);
});
afterAll(() => engine.close());

async function trainedSnapshot(on: Engine): Promise<Snapshot> {
  const adapter = on.createAdapter(OPTIONS);
  await trainStep(on, adapter, 1);
  return on.snapshot(adapter);
}

/** The parts that must be the same regardless of the cache. */
function drawn({ tokens, logprobs, stopReason }: SampledSequence): unknown {
  return { tokens: Array.from(tokens), logprobs: Array.from(logprobs), stopReason };
}

describe("sampling", () => {
  it("repeats for a seed and varies with it", async () => {
    const [first, again, other] = await Promise.all(
      [4, 4, 5].map((seed) => engine.sample(snapshot, sampleRequest({ seed }))),
    );
    if (first === undefined || again === undefined || other === undefined)
      throw new Error("no samples");
    expect(drawn(again)).toEqual(drawn(first));
    expect(drawn(other)).not.toEqual(drawn(first));
    expect(first.tokens.length).toBe(12);
    expect(first.stopReason).toBe("length");
  });

  it("of many prompts at once gives the same as each alone, even with more prompts than slots", async () => {
    const requests = Array.from({ length: 210 }, (_, seed) =>
      sampleRequest({
        seed,
        prompt: CONVERSATION.subarray(seed % 9, 12 + (seed % 17)),
        maxTokens: 1 + (seed % 5),
      }),
    );
    const together = await Promise.all(requests.map((request) => engine.sample(snapshot, request)));
    const fresh = await startEngine(folder, 1);
    const own = await trainedSnapshot(fresh);
    for (const i of [0, 1, 50, 133, 209]) {
      const alone = await fresh.sample(own, requests[i] ?? sampleRequest());
      expect(drawn(together[i] ?? alone)).toEqual(drawn(alone));
    }
    await fresh.close();
  });

  it("ends with a stop token, which is included", async () => {
    const free = await engine.sample(snapshot, sampleRequest());
    const stop = free.tokens[4] ?? -1;
    const first = free.tokens.indexOf(stop);
    const stopped = await engine.sample(snapshot, sampleRequest({ stopIds: [stop] }));
    expect(Array.from(stopped.tokens)).toEqual(Array.from(free.tokens.slice(0, first + 1)));
    expect(stopped.stopReason).toBe("stop");
  });

  it("ends with a stop string once its tokens spell it", async () => {
    const everyLetter = Array.from("abcdefghijklmnopqrstuvwxyz0123456789 ");
    const stopped = await engine.sample(
      snapshot,
      sampleRequest({ maxTokens: 50, stopStrings: everyLetter }),
    );
    const free = await engine.sample(snapshot, sampleRequest({ maxTokens: 50 }));
    expect(stopped.stopReason).toBe("stop");
    expect(stopped.tokens.length).toBeLessThan(50);
    expect(Array.from(stopped.tokens)).toEqual(
      Array.from(free.tokens.slice(0, stopped.tokens.length)),
    );
  });

  it("lists the most likely tokens, with the greedy choice first", async () => {
    const request = sampleRequest({ temperature: 0, topSampleLogprobs: 3, maxTokens: 4 });
    const { tokens, logprobs, topLogprobs } = await engine.sample(snapshot, request);
    expect(topLogprobs?.map((top) => top.length)).toEqual([3, 3, 3, 3]);
    expect(topLogprobs?.map(([best]) => best?.id)).toEqual(Array.from(tokens));
    expect(topLogprobs?.map(([best]) => best?.logprob)).toEqual(Array.from(logprobs));
  });

  it("gives untempered log-probs at any temperature", async () => {
    const [hot, scores] = await scored(sampleRequest({ temperature: 3 }));
    expect(hot).toEqual(scores);
  });

  it("rejects a prompt that leaves no room", async () => {
    const tooLong = sampleRequest({ prompt: new Int32Array(60), maxTokens: 5 });
    await expect(engine.sample(snapshot, tooLong)).rejects.toMatchObject({
      code: "engine-context",
    });
    const empty = sampleRequest({ prompt: new Int32Array() });
    await expect(engine.sample(snapshot, empty)).rejects.toMatchObject({ code: "engine-context" });
    const full = await engine.sample(
      snapshot,
      sampleRequest({ prompt: new Int32Array(60), maxTokens: 4 }),
    );
    expect(full.tokens.length).toBe(4);
  });
});

/** A sample's log-probs, and those from scoring it as a prompt. */
async function scored(
  request: ReturnType<typeof sampleRequest>,
): Promise<readonly [number[], number[]]> {
  const { tokens, logprobs } = await engine.sample(snapshot, request);
  const prompt = Int32Array.of(...request.prompt, ...tokens);
  const scores = await engine.scorePrompt(snapshot, {
    prompt,
    top: 0,
    targets: null,
    targetsPerPosition: 0,
  });
  return [Array.from(logprobs), Array.from(scores.logprobs.slice(request.prompt.length))];
}

describe("scoring a prompt", () => {
  it("gives its tokens the log-probs of training, and none for the first", async () => {
    const adapter = engine.createAdapter(OPTIONS);
    const fresh = await engine.snapshot(adapter);
    const request = { prompt: CONVERSATION, top: 0, targets: null, targetsPerPosition: 0 };
    const { logprobs } = await engine.scorePrompt(fresh, request);
    const data = [datumOf(CONVERSATION)];
    const trained = await engine.forwardBackward(adapter, data, CROSS_ENTROPY, true);
    expect(logprobs[0]).toBeNaN();
    for (const [i, logprob] of (trained.logprobs[0] ?? new Float32Array()).entries()) {
      expect(Math.abs((logprobs[i + 1] ?? Number.NaN) - logprob)).toBeLessThan(1e-5);
    }
  });

  it("gives a single token no log-prob", async () => {
    const prompt = Int32Array.of(5);
    const request = { prompt, top: 2, targets: null, targetsPerPosition: 0 };
    const scores = await engine.scorePrompt(null, request);
    expect(scores).toMatchObject({ logprobs: Float32Array.of(Number.NaN), top: [null] });
  });

  it("scores given targets and lists the most likely tokens", async () => {
    const prompt = CONVERSATION.subarray(0, 4);
    const targets = Int32Array.of(prompt[1] ?? 0, 7, prompt[2] ?? 0, -1, prompt[3] ?? 0, 9);
    const scores = await engine.scorePrompt(null, {
      prompt,
      top: 2,
      targets,
      targetsPerPosition: 2,
    });
    const given = Array.from(scores.targetLogprobs ?? []);
    expect([given[0], given[2], given[4]]).toEqual(Array.from(scores.logprobs.slice(1)));
    expect(given[3]).toBe(0);
    expect(scores.top?.map((top) => top?.length ?? null)).toEqual([null, 2, 2, 2]);
  });
});

describe("more weights at once than a worker holds", () => {
  it("are processed in turn when prompts are scored", async () => {
    const own = await startEngine(folder, 1);
    const adapter = own.createAdapter(OPTIONS);
    const weights = await Promise.all(Array.from({ length: 9 }, () => own.snapshot(adapter)));
    const request = { prompt: CONVERSATION, top: 0, targets: null, targetsPerPosition: 0 };
    const scores = await Promise.all(weights.map((each) => own.scorePrompt(each, request)));
    const alone = await own.scorePrompt(null, request);
    for (const { logprobs } of scores) expect(logprobs).toEqual(alone.logprobs);
    await own.close();
  });
});

describe("the prefix cache", () => {
  it("gives the same tokens and log-probs as without a cache while a conversation grows", async () => {
    const fresh = await startEngine(folder, 1);
    let prompt = CONVERSATION.slice(0, 8);
    for (let turn = 0; turn < 4; turn++) {
      const request = sampleRequest({ prompt, maxTokens: 6, seed: turn });
      const cached = await engine.sample(null, request);
      const own = await startedFrom(fresh, request);
      expect(drawn(cached)).toEqual(drawn(own));
      if (turn > 0) expect(cached.cachedPromptTokens).toBe(prompt.length - 4);
      prompt = Int32Array.of(...prompt, ...cached.tokens, 100 + turn, 200, 300);
    }
    await fresh.close();
  });

  it("reuses the shared prefix of two prompts, and always runs the last token of the prompt", async () => {
    const prompt = CONVERSATION.slice(5, 25);
    await engine.sample(null, sampleRequest({ prompt, maxTokens: 1 }));
    const again = await engine.sample(null, sampleRequest({ prompt, maxTokens: 1 }));
    expect(again.cachedPromptTokens).toBe(19);
    const branch = Int32Array.of(...prompt.subarray(0, 12), 501, 502, 503);
    const branched = await engine.sample(null, sampleRequest({ prompt: branch, maxTokens: 1 }));
    expect(branched.cachedPromptTokens).toBe(12);
  });

  it("belongs to one set of weights", async () => {
    const prompt = Int32Array.from({ length: 20 }, (_, i) => 400 + i);
    const request = sampleRequest({ prompt, maxTokens: 1 });
    const used: number[] = [];
    for (const weights of [null, snapshot, null, snapshot]) {
      used.push((await engine.sample(weights, request)).cachedPromptTokens);
    }
    expect(used).toEqual([0, 0, 19, 19]);
  });

  it("survives more sampler weights than a worker holds", async () => {
    const adapter = engine.createAdapter(OPTIONS);
    const snapshots: Snapshot[] = [];
    for (let seed = 1; seed <= 9; seed++) {
      await trainStep(engine, adapter, seed);
      snapshots.push(await engine.snapshot(adapter));
    }
    const request = sampleRequest({ prompt: CONVERSATION });
    const first = await Promise.all(snapshots.map((each) => engine.sample(each, request)));
    const second = await Promise.all(snapshots.map((each) => engine.sample(each, request)));
    expect(second.map(drawn)).toEqual(first.map(drawn));
    const different = new Set(first.map((sample) => Array.from(sample.logprobs).join()));
    expect(different.size).toBe(snapshots.length);
  });
});

/** The sample of a slot that held another prompt: its prompt is computed from the first token. */
async function startedFrom(
  fresh: Engine,
  request: ReturnType<typeof sampleRequest>,
): Promise<SampledSequence> {
  const own = await fresh.sample(await fresh.snapshot(fresh.createAdapter(OPTIONS)), request);
  expect(own.cachedPromptTokens).toBe(0);
  return own;
}

describe("cancelling", () => {
  it("rejects with the signal's reason and frees slot and weights", async () => {
    const own = await startEngine(folder, 1);
    const reason = new Error("no longer wanted");
    const controller = new AbortController();
    const short = own.sample(null, sampleRequest({ maxTokens: 3 }));
    // More than there are slots: when the short one is done, some of these are half done and some wait.
    const canceled = Array.from({ length: 150 }, (_, seed) =>
      own.sample(null, sampleRequest({ seed, maxTokens: 59 }), controller.signal),
    );
    const outcomes = Promise.allSettled(canceled);
    await short;
    controller.abort(reason);
    for (const outcome of await outcomes) expect(outcome).toEqual({ status: "rejected", reason });
    const after = await Promise.all(
      Array.from({ length: 150 }, (_, seed) =>
        own.sample(null, sampleRequest({ seed, maxTokens: 2 })),
      ),
    );
    expect(after.map(({ tokens }) => tokens.length)).toEqual(Array(150).fill(2));
    await own.close();
  });

  it("leaves the other samples alone", async () => {
    const expected = await engine.sample(snapshot, sampleRequest({ seed: 8 }));
    const controller = new AbortController();
    const canceled = engine.sample(
      snapshot,
      sampleRequest({ seed: 9, maxTokens: 50 }),
      controller.signal,
    );
    const kept = engine.sample(snapshot, sampleRequest({ seed: 8 }));
    const rejected = expect(canceled).rejects.toThrow();
    controller.abort();
    await rejected;
    expect(drawn(await kept)).toEqual(drawn(expected));
  });

  it("rejects immediately if the signal was aborted before", async () => {
    const request = engine.sample(snapshot, sampleRequest(), AbortSignal.abort());
    await expect(request).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("a worker that dies", () => {
  /** A token far outside the vocabulary: no service accepts it, and the kernels trap on it. */
  const deadlyRequest = sampleRequest({ prompt: Int32Array.of(1, 0x3fffff) });

  it("fails its current work, and a new one takes over without its cache", async () => {
    const own = await startEngine(folder, 1);
    const adapter = own.createAdapter(OPTIONS);
    await trainStep(own, adapter, 1);
    const weights = await own.snapshot(adapter);
    const before = await own.sample(weights, sampleRequest());
    const lost = await Promise.allSettled([
      own.sample(weights, deadlyRequest),
      own.forwardBackward(adapter, [], CROSS_ENTROPY, false).then(() => trainStep(own, adapter, 2)),
    ]);
    expect(lost[0]).toMatchObject({ status: "rejected", reason: { code: "engine-worker" } });
    const after = await own.sample(weights, sampleRequest());
    expect(drawn(after)).toEqual(drawn(before));
    expect(after.cachedPromptTokens).toBe(0);
    await trainStep(own, adapter, 3);
    await own.close();
  });

  it("does not affect samples on other workers or waiting samples", async () => {
    const own = await startEngine(folder, 2);
    const requests = Array.from({ length: 220 }, (_, seed) =>
      sampleRequest({ seed, maxTokens: 3 }),
    );
    const waiting = requests.map((request) => own.sample(null, request));
    const outcomes = Promise.allSettled(waiting);
    const deadly = own.sample(null, deadlyRequest);
    await expect(deadly).rejects.toMatchObject({ code: "engine-worker" });
    const done = (await outcomes).filter(({ status }) => status === "fulfilled");
    expect(done.length).toBeGreaterThan(requests.length / 3);
    const again = await Promise.all(requests.map((request) => own.sample(null, request)));
    expect(again.length).toBe(requests.length);
    await own.close();
  });
});
