/** Prompts and training data with images: the requests of this program's client compared with the official client's. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { type ImageFile, readImage } from "../../src/core/images/imageFile.ts";
import { Ledger } from "../../src/core/rollout/ledger.ts";
import { chunkData, type Datum, toWireData } from "../../src/core/tinker/wire/datum.ts";
import { forwardBackwardBody } from "../../src/core/tinker/wire/lossEncoding.ts";
import { inputChunks } from "../../src/core/tinker/wire/modelInput.ts";
import { buildDatum, toWireDatum } from "../../src/core/training/update/datums.ts";
import { jpegBytes, pngBytes } from "../core/images/someImages.ts";
import { jsonBody } from "../fakes/fakeHttp.ts";
import { fakeTinker } from "../fakes/fakeTinker.ts";
import { addTally } from "./tally.ts";

const python = inject("python");
const SCRIPT = fileURLToPath(new URL("officialImages.py", import.meta.url));

const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));
/** Files with every base64 padding length, and all byte values. */
const images = [
  Buffer.concat([pngBytes(224, 224), Buffer.from(everyByte, "latin1")]),
  jpegBytes(64, 32),
  pngBytes(9, 9, "x"),
].map((bytes): ImageFile => readImage(bytes.toString("base64")));
const image = (number: number, tokens: number): readonly number[] => Array(tokens).fill(-number);

const PROMPTS: readonly (readonly number[])[] = [
  [1, 2, ...image(1, 64), 4],
  [151_652, ...image(1, 3), ...image(2, 2), 7, ...image(3, 1)],
  [...image(2, 5), 1],
];
interface Played {
  readonly prompt: readonly number[];
  readonly turns: readonly {
    readonly sampled: readonly number[];
    readonly logprobs: readonly number[];
    readonly delta?: readonly number[];
  }[];
  /** As made by `trajectory_to_data` of the official cookbook (commit 9dfcc3a2) from the same rollout, with the advantage 2. */
  readonly trained: Readonly<Record<string, readonly number[]>>;
}

const ROLLOUTS: readonly Played[] = [
  {
    prompt: [1, 2, ...image(1, 3), 4],
    turns: [
      { sampled: [5, 6], logprobs: [-0.5, -0.25], delta: [7, ...image(2, 2), 8] },
      { sampled: [9, 10], logprobs: [-0.75, -1] },
    ],
    trained: {
      advantages: [0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 2, 2],
      logprobs: [0, 0, 0, 0, 0, -0.5, -0.25, 0, 0, 0, 0, -0.75, -1],
      target_tokens: [2, 0, 0, 0, 4, 5, 6, 7, 0, 0, 8, 9, 10],
    },
  },
  {
    prompt: [1, ...image(3, 2)],
    turns: [{ sampled: [5], logprobs: [-0.5] }],
    trained: { advantages: [0, 0, 2], logprobs: [0, 0, -0.5], target_tokens: [0, 0, 5] },
  },
];

/** The loop's training data for a rollout; the arrays sorted by name, because the wire has no order. */
function datumOf({ prompt, turns }: Played): Datum {
  const ledger = new Ledger(prompt);
  for (const { sampled, logprobs, delta = [] } of turns) {
    ledger.addTurn(sampled, logprobs);
    ledger.addContext([], delta);
  }
  const built = buildDatum({ group: 0, rollout: 0, stream: 0, ledger, images }, [2]);
  if (built === null) throw new Error("the rollout has sampled tokens");
  const { lossInputs, ...rest } = toWireDatum(built, "ppo");
  return { ...rest, lossInputs: Object.fromEntries(Object.entries(lossInputs).sort()) };
}

const data = ROLLOUTS.map(datumOf);
const wire = toWireData(data, "ppo", { forwardOnly: false });
const SAMPLE = { maxTokens: 6, temperature: 1, topK: -1, topP: 1, seed: 7, stop: [9] };

/** Defaults that the official client sends explicitly. */
const DEFAULTS = { topk_prompt_logprobs: 0, topk_sample_logprobs: 0, prompt_alt_tokens_k: 0 };
const EXPLAINED = [
  "top-k numbers of 0, the defaults, are written out there and absent here",
  "the JSON form of training data is that of clients before 0.25: only its chunks are compared",
];

const chunk = z.looseObject({ type: z.string() });
const input = z.object({ chunks: z.array(chunk) });
const officialSchema = z.object({
  prompts: z.array(z.record(z.string(), z.unknown())),
  call: z.object({
    hex: z.string(),
    inputs: z.array(input),
    lengths: z.array(z.number()),
    sizes: z.array(z.number()),
  }),
});
/** Ids, or an image, in the official types' field names. */
function partsOf(ids: readonly number[] | Int32Array) {
  return inputChunks(ids, images).map((part) => {
    if (part.type === "encoded_text") return part.tokens;
    const { type: _, ...parts } = part;
    return parts;
  });
}

async function askOfficial() {
  const call = {
    model_id: "S:train:0",
    seq_id: 1,
    loss_fn: "ppo",
    data: data.map(({ tokens, lossInputs }) => ({
      chunks: partsOf(tokens),
      loss_fn_inputs: Object.fromEntries(
        Object.entries(lossInputs).map(([name, values]) => [name, [...values]]),
      ),
    })),
  };
  const asked = { prompts: PROMPTS.map(partsOf), call };
  const running = promisify(execFile)(python ?? "", [SCRIPT]);
  running.child.stdin?.end(JSON.stringify(asked));
  return officialSchema.parse(JSON.parse((await running).stdout));
}

async function trainingBody() {
  const server = fakeTinker();
  const service = await server.connect();
  const client = await server.clock.run(
    service.createTrainingClient({ baseModel: "org/model", rank: 8 }),
  );
  await client.forwardBackward(data, "ppo");
  return server.requestsTo("forward_backward")[0]?.body;
}

describe.skipIf(python === null)("images on the wire", () => {
  let official: z.output<typeof officialSchema>;
  beforeAll(async () => {
    official = await askOfficial();
  });

  it("are sampled with the same request", async (context) => {
    const server = fakeTinker();
    const sampler = await (await server.connect()).samplerForBase("org/model");
    for (const prompt of PROMPTS) await sampler.sample({ ...SAMPLE, prompt, images });
    const sent = server.requestsTo("asample").map(jsonBody);
    addTally(context, { checks: sent.length, differences: [], explained: EXPLAINED.slice(0, 1) });
    expect(sent.map((body, at) => ({ ...DEFAULTS, ...body, seq_id: at }))).toEqual(
      official.prompts.map((body, at) => ({ ...body, seq_id: at })),
    );
  });

  it("are trained with the same bytes", async (context) => {
    const body = await trainingBody();
    addTally(context, { checks: data.length, differences: [], explained: [] });
    expect(body instanceof Uint8Array && Buffer.from(body).toString("hex")).toBe(official.call.hex);
  });

  it("are the same chunks in the JSON of older servers", (context) => {
    const call = { modelId: "m", seqId: 1, data: wire, lossFn: "ppo", lossConfig: {} };
    const body = forwardBackwardBody({ ...call, forwardOnly: false });
    addTally(context, { checks: data.length, differences: [], explained: EXPLAINED.slice(1) });
    const sent = official.call.inputs.map((input) =>
      expect.objectContaining({ model_input: input }),
    );
    expect(body).toMatchObject({ forward_backward_input: { data: sent } });
  });

  it("count as the same number of positions, and of bytes against the limit of a request", () => {
    expect(data.map(({ tokens }) => tokens.length)).toEqual(official.call.lengths);
    const requests = (maxBytes: number) => chunkData(wire, { maxDatums: 9, maxBytes }).length;
    const together = official.call.sizes.reduce((sum, size) => sum + size, 0);
    expect([requests(together), requests(together - 1)]).toEqual([1, 2]);
  });

  it.each(ROLLOUTS)(
    "have targets, log-probs and advantages as in the cookbook: $prompt",
    (played) => {
      const sent = Object.entries(datumOf(played).lossInputs).map(([name, values]) => [
        name,
        [...values],
      ]);
      expect(Object.fromEntries(sent)).toEqual(played.trained);
    },
  );
});
