/** Whole runs with `stable_reinforce` on a scripted Tinker service, which answers as any loss does: its formula is not known. */

import { fromBinary } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import * as z from "zod";
import { rolloutSettings } from "../../../../src/core/rollout/settings.ts";
import type { TrainingClient } from "../../../../src/core/tinker/trainingClient.ts";
import { bytesToInt32 } from "../../../../src/core/tinker/wire/tensors.ts";
import {
  ForwardBackwardRequestSchema,
  type ProvenanceSpan,
} from "../../../../src/core/tinker/wire/tinker_pb.ts";
import { runLoop } from "../../../../src/core/training/loop.ts";
import { type LoopPosition, START } from "../../../../src/core/training/step/loopPosition.ts";
import { jsonBody } from "../../../fakes/fakeHttp.ts";
import { fakeTinker, sampleBytes } from "../../../fakes/fakeTinker.ts";
import { result, scriptedEnvironment } from "../../rollout/scriptedEnvironment.ts";
import { call, encode, ended } from "../../rollout/scriptedModel.ts";
import type { MemoryFileSystem } from "../../runFolder/memoryFileSystem.ts";
import { aConfig, anEnvironment, anEvaluation } from "../builders.ts";
import { positionOf, prepareRun } from "./prepareRun.ts";

const sampleBody = z.object({
  prompt: z.object({ chunks: z.array(z.object({ tokens: z.array(z.number()) })) }),
  record_stability_info: z.literal(true).optional(),
});

interface SessionOptions {
  /** The folder that an earlier session left. */
  readonly fileSystem?: MemoryFileSystem;
  /** Stops the run in this update, once the groups of the next step have ended. */
  readonly stopsAt?: number;
}

interface Sequence {
  readonly prompt: readonly number[];
  readonly sampled: readonly number[];
}

/** A run of three turns per rollout, in a session whose sequences begin with `session`. */
async function prepareSession(session: string, { stopsAt, ...options }: SessionOptions = {}) {
  const loss = { loss_fn: "stable_reinforce" } as const;
  const rewards = [1, 0];
  let ends = 0;
  const onCall = ({ name }: { readonly name: string }) =>
    name === "look"
      ? result("You see a box.")
      : result("", { reward: rewards[ends++ % 2] ?? 0, finished: true });
  const run = prepareRun({
    remote: scriptedEnvironment([{ onCall }]),
    settings: rolloutSettings(aConfig(loss), anEnvironment(), { maxContext: null, secrets: {} }),
    steps: 4,
    ...options,
    config: {
      ...loss,
      max_steps_off_policy: 1,
      rolling_save_every: 1,
      evaluation: anEvaluation({ every: 2 }),
    },
  });
  const sequences = new Map<string, Sequence>();
  const unrecorded = new Map<string, Sequence>();
  const trained: Uint8Array[] = [];
  const server = fakeTinker((path, request) => {
    if (path === "forward_backward" && request.body instanceof Uint8Array) {
      trained.push(request.body);
    }
    if (path === "asample") {
      const body = sampleBody.parse(jsonBody(request));
      const { chunks } = body.prompt;
      const prompt = chunks.flatMap(({ tokens }) => tokens);
      const looks = prompt.length < 40 ? "look" : "answer";
      const id = `${session}:${sequences.size + unrecorded.size}`;
      const sampled = encode(ended(call(looks, { at: id })));
      const kept = body.record_stability_info === true ? sequences : unrecorded;
      kept.set(id, { prompt, sampled });
      return { json: { request_id: id, sample_sequence_ids: [id] } };
    }
    const id = String(jsonBody(request)["request_id"]);
    const sequence = sequences.get(id) ?? unrecorded.get(id);
    if (path !== "retrieve_future" || sequence === undefined) return undefined;
    const { sampled } = sequence;
    return {
      bytes: sampleBytes(
        sampled,
        sampled.map(() => -0.5),
      ),
    };
  });
  const service = await server.connect({ clock: run.context.clock });
  const { clock, control } = run.context;
  const opened = await service.createTrainingClient({ baseModel: "org/model", rank: 8 });
  let updates = 0;
  const client: TrainingClient = {
    ...opened,
    optimStep: async (params) => {
      const updated = await opened.optimStep(params);
      updates += 1;
      if (updates === stopsAt) {
        await clock.sleep(60_000);
        control.stop();
      }
      return updated;
    },
  };
  const context = {
    ...run.context,
    services: { ...run.context.services, service, client },
  };
  const identity = { runId: "run", configHash: "h", generation: 1 };
  return {
    ...run,
    sequences,
    unrecorded,
    run: (position: LoopPosition = START) => clock.run(runLoop(context, position, identity)),
    /** Each datum sent, with the tokens that its spans name. */
    datums: () =>
      trained.flatMap((bytes) =>
        fromBinary(ForwardBackwardRequestSchema, bytes).data.map((datum) => {
          const named = (spans: readonly ProvenanceSpan[]) =>
            spans.flatMap(({ span }) => {
              const { sequenceId = "", offset = 0n, length = 0n } = span.value ?? {};
              const of = sequences.get(sequenceId);
              const tokens = span.case === "promptTokens" ? of?.prompt : of?.sampled;
              return tokens?.slice(Number(offset), Number(offset + length)) ?? [];
            });
          const [chunk] = datum.modelInput;
          const input = chunk?.chunk.case === "encodedText" ? chunk.chunk.value.tokens : null;
          const targets = datum.lossFnInputs["target_tokens"]?.data.value ?? new Uint8Array();
          return {
            input: [...bytesToInt32(input ?? new Uint8Array(), "input")],
            targets: [...new BigInt64Array(targets.slice().buffer)].map(Number),
            named: {
              input: named(datum.modelInputSpans),
              targets: named(datum.lossFnInputSpans),
            },
            turns: datum.lossFnInputSpans.filter(({ span }) => span.case === "sampledTokens")
              .length,
          };
        }),
      ),
  };
}

it("names the sampled sequence of every token that it trains, turn by turn and one step ahead", async () => {
  const run = await prepareSession("one");
  expect(await run.run()).toMatchObject({ outcome: "done", step: 4 });
  const datums = run.datums();
  expect(datums.length).toBeGreaterThanOrEqual(8);
  for (const { input, targets, named, turns } of datums) {
    expect(named).toEqual({ input, targets });
    expect(turns).toBeGreaterThan(1);
  }
});

it("records no samples of evaluations", async () => {
  const run = await prepareSession("one");
  await run.run();
  expect(run.unrecorded.size).toBeGreaterThan(0);
});

it("samples groups of an earlier session again, and says so", async () => {
  const first = await prepareSession("first", { stopsAt: 2 });
  const { fileSystem } = first.context;
  expect(await first.run()).toMatchObject({ outcome: "stopped" });
  const rest = await prepareSession("rest", { fileSystem });
  const position = await positionOf(first);
  expect(position.issued?.pending).not.toEqual([]);
  expect(await rest.run(position)).toMatchObject({ outcome: "done", step: 4 });
  const datums = rest.datums();
  expect(datums.length).toBe(2 * (4 - position.step));
  for (const { input, targets, named } of datums) expect(named).toEqual({ input, targets });
  expect(rest.context.progress).toContainEqual({
    kind: "notice",
    message: expect.stringMatching(/1 finished group of the session before is sampled again/),
  });
});
