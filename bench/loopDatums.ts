/** The training part of a large step: from ledgers to requests, and from responses to log-probabilities. */

import { Ledger } from "../src/core/rollout/ledger.ts";
import { divergenceMetrics } from "../src/core/runFolder/metrics/divergence.ts";
import { encodeTokenRecord } from "../src/core/runFolder/rollouts/tokenRecord.ts";
import { combineResults } from "../src/core/tinker/forwardBackward.ts";
import { chunkData, toWireData } from "../src/core/tinker/wire/datum.ts";
import {
  decodeForwardBackwardOutput,
  encodeForwardBackwardOutput,
  encodeForwardBackwardRequest,
} from "../src/core/tinker/wire/forwardBackwardProto.ts";
import { buildDatum, type TrainingDatum, toWireDatum } from "../src/core/training/update/datums.ts";
import { toTokenRecord } from "../src/core/training/update/tokenRecords.ts";
import { trainStep } from "../src/core/training/update/trainStep.ts";
import { aBatch } from "../test/core/training/builders.ts";
import type { BenchRun } from "./benchRun.ts";
import { medianSeconds, print } from "./measure.ts";
import { observe } from "./observe.ts";

const CLIP = { low: 0.8, high: 1.2, cuts: "gradient" } as const;

const DATUMS = 4_096;
const GROUP_SIZE = 8;
const PROMPT_TOKENS = 111;
const TURNS = 3;
const TURN_TOKENS = 50;
const BRIDGE_TOKENS = 20;
/** Default limits of the service, see `docs/protocols/tinker.md#flags`. */
const CHUNK_LIMITS = { maxDatums: 1_024, maxBytes: 5_000_000 };

/** 301 tokens, which make a datum of 300. */
function ledgerOfThreeTurns(): Ledger {
  const ids = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
  const ledger = new Ledger(ids(PROMPT_TOKENS));
  for (let turn = 1; turn <= TURNS; turn++) {
    ledger.addTurn(ids(TURN_TOKENS), new Array<number>(TURN_TOKENS).fill(-0.5));
    if (turn < TURNS) ledger.addContext([], ids(BRIDGE_TOKENS));
  }
  return ledger;
}

function buildAll(ledgers: readonly Ledger[]): readonly TrainingDatum[] {
  return ledgers.flatMap((ledger, i) => {
    const source = {
      group: Math.floor(i / GROUP_SIZE),
      rollout: i % GROUP_SIZE,
      stream: 0,
      ledger,
    };
    return buildDatum(source, [i % 2 === 0 ? 1 : -1]) ?? [];
  });
}

function chunksOf(data: readonly TrainingDatum[]) {
  return chunkData(
    toWireData(
      data.map((datum) => toWireDatum(datum, "ppo")),
      "ppo",
      { forwardOnly: false },
    ),
    CHUNK_LIMITS,
  );
}

/** Measures the parts separately, and then the whole against the fake. */
export async function benchDatums({ context }: BenchRun): Promise<void> {
  const ledgers = Array.from({ length: DATUMS }, ledgerOfThreeTurns);
  const data = buildAll(ledgers);
  const chunks = chunksOf(data);
  const bodies = chunks.map((chunk) =>
    encodeForwardBackwardOutput({
      outputs: chunk.map(({ tokens }) => ({ logprobs: new Float32Array(tokens.length) })),
      metrics: { "loss:sum": 1 },
    }),
  );
  const name = `${DATUMS} datums of ${data[0]?.tokens.length} tokens`;
  const build = medianSeconds(() => void buildAll(ledgers));
  print({ name: `${name}: build`, value: build, unit: "CPU-s" });
  const encode = medianSeconds(() => {
    chunksOf(data).forEach((chunk, seqId) => {
      encodeForwardBackwardRequest({ ...request(chunk), seqId });
    });
  });
  print({ name: `${name}: encode`, value: encode, unit: "CPU-s" });
  const measured = medianSeconds(() => void divergenceMetrics(tokensOf(data), [], CLIP));
  print({ name: `${name}: divergence`, value: measured, unit: "CPU-s" });
  const records = medianSeconds(() => {
    for (const datum of data) encodeTokenRecord(toTokenRecord(datum, datum.logprobs));
  });
  print({ name: `${name}: token records`, value: records, unit: "CPU-s" });
  const decode = medianSeconds(() => {
    combineResults(bodies.map(decodeForwardBackwardOutput));
  });
  print({ name: `${name}: decode`, value: decode, unit: "CPU-s" });
  const { config, ports, services } = context;
  const { client } = services;
  const saveSampler = () => client.ephemeralSampler();
  const trainer = { client, clock: ports.clock, saveSampler, step: 0, sha256: ports.sha256 };
  const { cpuS, measurements } = await observe("whole step", async () => {
    const { trained } = await trainStep(trainer, aBatch(data), config, config.learning_rate);
    await trained;
  });
  print({ name: "whole step: client and HTTP with it", value: cpuS, unit: "CPU-s" });
  for (const measurement of measurements) print(measurement);
}

function tokensOf(data: readonly TrainingDatum[]) {
  return data.map(({ logprobs, mask, advantages }) => ({
    mask,
    advantages,
    samplerLogprobs: logprobs,
    trainerLogprobs: logprobs,
  }));
}

function request(data: Parameters<typeof encodeForwardBackwardRequest>[0]["data"]) {
  return { modelId: "model", data, lossFn: "ppo", lossConfig: {}, forwardOnly: false };
}
