/** A whole on-policy run on the embedded engine, recorded as its requests to the service and the files it wrote. */

import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { SamplingClient } from "../../src/core/tinker/samplingClient.ts";
import type { TrainingClient } from "../../src/core/tinker/trainingClient.ts";
import { comparableRow } from "./comparableRow.ts";
import { isOfEnd } from "./controlledRun.ts";
import { readLines, trainLocally } from "./localRun.ts";
import { tokenRecords } from "./tokenRecords.ts";

/** Evaluations between steps, two updates per step, a last step with fewer tasks, and saves of both kinds. */
const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator:
    splits: { train: { num_samples: 15 } }
    num_rollouts: 4
    nonterminal_reward: 0
batch_size: 4
num_epochs: 1
num_substeps: 2
learning_rate: 1e-3
warmup_steps: 0
max_active_tasks: 8
save_every: 2
rolling_save_every: 1
evaluation: { splits: { local/calculator: [test] }, at_start: true, at_end: true, every: 2, num_samples: 4, temperatures: [0, 1], seed: 42 }
`;

/** A short digest of a JSON value; numbers are rounded to float32, typed arrays count as arrays. */
function digest(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) => {
    if (ArrayBuffer.isView(part)) return [...(part as Float32Array)];
    return typeof part === "number" ? Math.fround(part) : part;
  });
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Trains, and returns digests of the requests in order (samples: in any order), the rows, and digests of the tokens. */
export async function recordedRun() {
  const requests: string[] = [];
  const samples: string[] = [];
  const noteSamples = (sampler: SamplingClient): SamplingClient => ({
    ...sampler,
    samplerId: sampler.samplerId,
    sample: (request, options) => {
      samples.push(digest(request));
      return sampler.sample(request, options);
    },
  });
  const noteRequests = (client: TrainingClient): TrainingClient => ({
    ...client,
    forwardBackward: (...request) => {
      requests.push(`forwardBackward ${digest(request.slice(0, 4))}`);
      return client.forwardBackward(...request);
    },
    optimStep: (parameters) => {
      requests.push(`optimStep ${digest(parameters)}`);
      return client.optimStep(parameters);
    },
    saveState: (...request) => {
      requests.push(`saveState ${digest(request)}`);
      return client.saveState(...request);
    },
    saveSampler: (...request) => {
      requests.push(`saveSampler ${digest(request)}`);
      return client.saveSampler(...request);
    },
    ephemeralSampler: async () => {
      requests.push("ephemeralSampler");
      return noteSamples(await client.ephemeralSampler());
    },
  });
  const events = await trainLocally({ config: CONFIG, wrapClient: noteRequests });
  const started = events.find((event) => event.kind === "started");
  if (started === undefined) throw new Error("the run did not start");
  const all = await readLines(join(started.folder, "metrics.jsonl"));
  const rows = all.filter((row) => !isOfEnd(row));
  return {
    requests,
    samples: `${samples.length} ${digest(samples.sort())}`,
    rows: rows.map(comparableRow),
    prompts: rows.map(promptTokens),
    tokens: await digestsOfTokens(join(started.folder, "rollouts")),
  };
}

const prompts = z.object({
  tokens: z.object({ prefill_cached: z.number(), prefill_uncached: z.number() }),
});

/** The prompt tokens of all rollouts of a step. The share that the engine had cached depends on timing. */
function promptTokens(row: unknown): number {
  const { prefill_cached: cached, prefill_uncached: uncached } = prompts.parse(row).tokens;
  return cached + uncached;
}

async function digestsOfTokens(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".tokens.bin"));
  const digests = names.sort().map(async (name) => {
    const records = await tokenRecords(join(folder, name));
    return `${name} ${records.length} ${digest(records)}`;
  });
  return await Promise.all(digests);
}
