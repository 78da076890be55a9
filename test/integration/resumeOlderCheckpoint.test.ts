import { describe, expect, it } from "vitest";
import { readState } from "../../src/core/runFolder/state.ts";
import { changeCheckpoints } from "../../src/trainer/checkpoints/changeCheckpoints.ts";
import { filesOnDisk } from "../fakes/onDisk.ts";
import { withoutKeys } from "./comparableRow.ts";
import { trained } from "./comparedRuns.ts";
import { resume, runIn, train } from "./controlledRun.ts";
import { runFolderWith } from "./localRun.ts";

const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 2
max_steps: 4
save_every: 2
rolling_save_every: 0
`;
const files = filesOnDisk();

describe("a local run whose last checkpoint was deleted", () => {
  it("resumes from the previous one as if it had never ended", async () => {
    const whole = await runFolderWith(CONFIG);
    await train(whole).ended;

    const cut = await runFolderWith(CONFIG);
    expect((await train(cut, "max_steps=3").ended).outcome).toBe("done");
    const last = await readState(files.within(runIn(cut)), runIn(cut));
    const paths = [last?.last_checkpoint?.state_path ?? ""];
    const change = { action: "delete" } as const;
    const of = { paths, change, isLocalOnly: true, folder: cut, allowedOrigins: [] };
    for await (const { place } of changeCheckpoints(files, of)) expect(place).toBe("this computer");

    const resumed = resume(cut, "max_steps=4");
    expect((await resumed.ended).outcome).toBe("done");
    expect(resumed.events).toContainEqual({
      kind: "warning",
      message: expect.stringMatching(/final_000003 was deleted.*checkpoint_000002.*1 step is/),
    });
    const outcome = async (home: string) =>
      withoutKeys(await trained(runIn(home)), new Set(["done_frac"]));
    expect(await outcome(cut)).toEqual(await outcome(whole));
  });
});
