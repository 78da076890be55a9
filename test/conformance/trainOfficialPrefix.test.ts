/** A run with hosted-style names on the official ORS servers, which redirect them, behind a gateway that is unaware of redirects. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as z from "zod";
import { readLines, runFolderWith } from "../integration/localRun.ts";
import { startGateway } from "../integration/tinkerServersProxy.ts";
import { STUB_MODEL, startStub } from "../integration/tinkerServersStub.ts";
import { runProgram } from "../integration/trainProgram.ts";
import { QWEN3_FOLDER } from "../node/tokenizer/qwen3Model.ts";
import { kitPython, PACKAGES, startOfficialServer } from "./openrewardKit.ts";
import { playingModel } from "./trainOfficialModel.ts";
import { ENVIRONMENTS } from "./trainOfficialPlays.ts";

const PREFIX = "/some/prefix";
const rewardsSchema = z.looseObject({ reward: z.number() });

function config(tinker: string, ors: string): string {
  return JSON.stringify({
    model_name: STUB_MODEL,
    tokenizer_name: QWEN3_FOLDER,
    run_name: "run",
    environments: {
      "Acme/Probe": {
        splits: { train: { shuffle: false, num_samples: 1 } },
        num_rollouts: 3,
        on_image: "placeholder",
      },
    },
    batch_size: 1,
    max_steps: 1,
    tinker_base_url: tinker,
    openreward_base_url: ors,
  });
}

it.skipIf(kitPython === null).each(PACKAGES)(
  "the server of %s redirects to its default environment, and the run stays under the prefix",
  async (packageName) => {
    const official = await startOfficialServer(packageName);
    const gateway = await startGateway({ upstream: official.url, prefix: PREFIX });
    const stub = await startStub({ sample: playingModel(ENVIRONMENTS) });
    const folder = await runFolderWith(config(stub.url, gateway.url));
    try {
      const keys = { TINKER_API_KEY: "tml-test" };
      const ended = await runProgram(["train", "-c", join(folder, "config.yaml")], keys);
      expect(gateway.strays).toEqual([]);
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      const rollouts = join(folder, ".tinker-rl", "runs", "run", "rollouts", "step-000000.jsonl");
      const rewards = (await readLines(rollouts)).map((line) => rewardsSchema.parse(line).reward);
      expect(rewards.sort((a, b) => a - b)).toEqual([-1, 0.5, expect.closeTo(1.35, 9)]);
      expect(gateway.asked).toContain("/probe/call");
    } finally {
      stub.close();
      gateway.close();
      official.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
