/** Our W&B client leaves a run on the server that equals the official client's, whatever faults occur. */

import { createHash } from "node:crypto";
import { describe, expect, it, type TestContext } from "vitest";
import type { Clock } from "../../src/core/ports.ts";
import type { CheckpointEntry } from "../../src/core/runFolder/checkpointLog.ts";
import { openOnlineRun } from "../../src/core/tracking/wandb/online/onlineRun.ts";
import { WandbRequests } from "../../src/core/tracking/wandb/online/requests.ts";
import { checkpointArtifact } from "../../src/core/tracking/wandb/run/checkpointArtifact.ts";
import { systemClock } from "../../src/node/clock.ts";
import { sha256, startHash } from "../../src/node/hash.ts";
import { createHttpClient } from "../../src/node/http.ts";
import { systemRandom } from "../../src/node/random.ts";
import { addTally } from "../conformance/tally.ts";
import { aCheckpointEntry } from "../core/runFolder/builders.ts";
import {
  compareStates,
  type FakeWandb,
  type Fault,
  readKitJson,
  readScenario,
  startFakeWandb,
  WANDB_KIT,
} from "./wandbKit.ts";
import { initOf, NOT_ASKED_FOR, playAttempt } from "./wandbScenario.ts";

const KEY = "k".repeat(40);
/** Pauses between retries are shortened by this factor, so that faults cost a test seconds, not minutes. */
const HASTE = 50;
const hastyClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms / HASTE, signal),
};

async function play(fake: FakeWandb): Promise<void> {
  const { http, parts } = connect(fake);
  try {
    const scenario = await readScenario();
    for (const attempt of scenario.attempts) {
      const run = await openOnlineRun(parts, initOf(scenario, attempt));
      await playAttempt(run, attempt);
    }
  } finally {
    await http.close();
  }
}

function connect(fake: FakeWandb) {
  const http = createHttpClient();
  const never = new AbortController().signal;
  const requests = new WandbRequests({
    http,
    clock: hastyClock,
    random: systemRandom,
    baseUrl: fake.url,
    apiKey: KEY,
    userAgent: "tinker-rl-test",
    signal: never,
    retryNow: never,
    onOutage: () => undefined,
    onAnswer: () => undefined,
  });
  const callbacks = { onStopFlag: () => undefined, onWarning: () => undefined };
  const parts = { requests, clock: hastyClock, random: systemRandom, sha256, ...callbacks };
  return { http, parts };
}

/** As in the run folder. */
const CHECKPOINT: CheckpointEntry = aCheckpointEntry({
  name: "checkpoint_000040",
  step: 40,
  state_path: "tinker://run-1/weights/000040",
  sampler_path: "tinker://run-1/sampler_weights/000040",
  created_at: "2026-11-01T00:00:00Z",
});

/** Equal by construction, or left out of the comparison. */
const EXPLAINED = [
  "no run asks for hidden metrics, or for other summaries than last values",
  "an answer with status 200 that is not JSON is no delivery; the official client loses what it sent",
];

async function expectNoDifference(context: TestContext, options: object): Promise<void> {
  const fake = await startFakeWandb(options);
  try {
    await play(fake);
    if ("faults" in options) expect(fake.requests.some(({ fault }) => fault)).toBe(true);
    const official = await readKitJson("states/official-0.31.0.json");
    const found = await compareStates(official, fake.state(), { ignore: NOT_ASKED_FOR });
    const differences = found.map((difference) => JSON.stringify(difference));
    addTally(context, { checks: 1, differences, explained: EXPLAINED });
    expect(found).toEqual([]);
  } finally {
    await fake.stop();
  }
}

/** The plans of the kit's own tests, and invalid answers. */
const PLANS: Readonly<Record<string, readonly Fault[]>> = {
  "429 with Retry-After": [
    { match: "file_stream", nth: 3, times: 2, do: "status", status: 429, retryAfter: "0.1" },
  ],
  "500, 502, 503 on everything": [500, 502, 503].map((status, i) => ({
    match: "*",
    nth: 4 + 7 * i,
    do: "status",
    status,
  })),
  "connection resets": [
    { match: "file_stream", nth: 2, times: 2, do: "reset" },
    { match: "put", nth: 2, do: "reset" },
    { match: "graphql:UpsertBucket", nth: 2, do: "reset" },
  ],
  "answers lost after the work was done": [
    { match: "file_stream", nth: 5, times: 2, do: "lost" },
    { match: "put", nth: 1, do: "lost" },
    { match: "graphql:UpsertBucket", nth: 1, do: "lost" },
  ],
  "a request that is never answered": [{ match: "file_stream", nth: 6, do: "hang", seconds: 0.3 }],
  "an outage of one second": [
    { match: "file_stream", nth: 8, do: "outage", seconds: 1, mode: "reset" },
  ],
  "an outage answered 503": [
    { match: "graphql:CreateRunFiles", nth: 2, do: "outage", seconds: 1, mode: "503" },
  ],
  "slow answers": [{ match: "*", nth: 10, times: 3, do: "slow", seconds: 0.2 }],
  "pages of something in between": [
    { match: "file_stream", nth: 4, times: 3, do: "garbage" },
    { match: "graphql:UpsertBucket", nth: 1, do: "garbage" },
    { match: "put", nth: 2, times: 2, do: "garbage" },
  ],
  redirects: [{ match: "file_stream", nth: 3, times: 2, do: "redirect" }],
  "a conflict at the start": [{ match: "graphql:UpsertBucket", nth: 1, do: "status", status: 409 }],
};

describe.skipIf(WANDB_KIT === "")("a run on the server", () => {
  it("equals the official client's", async (context) => {
    await expectNoDifference(context, { uploadHeaders: true });
  });

  it("equals it with relative upload addresses and a limited rate", async (context) => {
    const options = { relativeUploads: true, nullViewer: true, rateLimit: true };
    await expectNoDifference(context, options);
  });

  it("accepts the addresses of a checkpoint as an artifact, and needs no data for it", async () => {
    const fake = await startFakeWandb({ uploadHeaders: true });
    const { http, parts } = connect(fake);
    try {
      const scenario = await readScenario();
      const [attempt] = scenario.attempts;
      if (attempt === undefined) throw new Error("The scenario has no attempt.");
      const run = await openOnlineRun(parts, initOf(scenario, attempt));
      const artifact = checkpointArtifact("run1", CHECKPOINT, startHash);
      if (artifact === null) throw new Error("The checkpoint has no address.");
      await run.addArtifact(artifact);
      await run.finish(0);
      const { sampler_path, state_path } = CHECKPOINT;
      const entry = (path: string | null) => ({ digest: path, size: 0, ref: path });
      const sorted = `sampler:${sampler_path}\nstate:${state_path}\n`;
      const digest = createHash("md5").update(`wandb-artifact-manifest-v1\n${sorted}`);
      const { runs } = JSON.parse(JSON.stringify(fake.state()));
      expect(Object.values(runs)).toMatchObject([
        {
          artifacts: [
            {
              type: "model",
              name: "checkpoints-run1",
              aliases: ["latest", "step-40"],
              digest: digest.digest("hex"),
              committed: true,
              entries: { sampler: entry(sampler_path), state: entry(state_path) },
            },
          ],
        },
      ]);
      expect(fake.violations).toEqual([]);
    } finally {
      await http.close();
      await fake.stop();
    }
  });

  it.for(Object.keys(PLANS))("equals it after %s", async (name, context) => {
    await expectNoDifference(context, { faults: structuredClone(PLANS[name]) });
  });

  it.each([
    ["a conflict", { match: "file_stream", nth: 4, times: -1, do: "status", status: 409 }],
    ["a refused key", { match: "graphql", times: -1, do: "status", status: 401 }],
    ["an error with status 200", { match: "graphql:UpsertBucket", times: -1, do: "errors" }],
  ])("is given up after %s, which retries cannot fix", async (_, fault) => {
    const fake = await startFakeWandb({ faults: [fault] });
    try {
      await expect(play(fake)).rejects.toMatchObject({ code: "wandb-refused" });
    } finally {
      await fake.stop();
    }
  });
});
