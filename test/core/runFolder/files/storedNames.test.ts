import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseCheckpoint } from "../../../../src/core/runFolder/checkpointLog.ts";
import { checkpointPath } from "../../../../src/core/runFolder/files/storedNames.ts";
import { readRunFile } from "../../../../src/core/runFolder/runFile.ts";
import { readState } from "../../../../src/core/runFolder/state.ts";
import { Redactor } from "../../../../src/core/secrets/redaction/redactor.ts";
import { START_CURSOR } from "../../../../src/core/tracking/wandb/run/syncState.ts";
import { WandbTracker } from "../../../../src/core/tracking/wandb/tracker.ts";
import { systemClock } from "../../../../src/node/clock.ts";
import { sha256, startHash } from "../../../../src/node/hash.ts";
import { systemRandom } from "../../../../src/node/random.ts";
import { beforeEachPlantedRun, type PlantedHome, snapshot } from "../../../fakes/plantedHome.ts";
import { silentLog } from "../../../fakes/silentLog.ts";
import { aRunState } from "../../../trainer/runState.ts";
import { aCheckpointEntry } from "../builders.ts";

describe("the stored address of a checkpoint", () => {
  it.each([
    "tinker://S:train:0/weights/final_000002",
    "tinker://run-1/sampler_weights/a",
    "tinker://run/a",
  ])("may be %s", (path) => {
    expect(checkpointPath.safeParse(path).success).toBe(true);
  });

  it.each([
    "tinker://run/weights/%2e%2e",
    "tinker://%2e%2e/weights/a",
    "tinker://run%2Fother/weights/a",
    "tinker://../weights/a",
    "tinker://run/weights/a?x=1",
    "https://run/weights/a",
  ])("is not %s", (path) => {
    expect(checkpointPath.safeParse(path).success).toBe(false);
  });
});

function checkpoint(changes: object): object {
  return aCheckpointEntry({ ...changes });
}

describe("a forged name in a run folder", () => {
  let planted: PlantedHome;
  let folder = "";

  beforeEachPlantedRun((home, path) => {
    planted = home;
    folder = path;
  });
  /** Writes files for `wandb sync` with the rows that such a wandb.json marks as not yet reported. */
  async function fileWith(note: object): Promise<void> {
    const nowhere = { confirmed: START_CURSOR, pending: null };
    const full = {
      schemaVersion: 1,
      runId: "abcdefgh",
      deployment: null,
      entity: null,
      project: "p",
      isStopHandled: false,
      online: nowhere,
      offline: nowhere,
      ...note,
    };
    await writeFile(join(folder, "wandb.json"), JSON.stringify(full));
    const tracker = await WandbTracker.start({
      fileSystem: planted.fileSystem.within(folder),
      folder,
      clock: systemClock,
      sha256,
      startHash,
      random: systemRandom,
      log: silentLog,
      redactor: new Redactor(),
      homeFolder: null,
      producer: "test",
      totalSteps: 4,
      server: null,
      knownRunId: null,
      firstStep: 2,
      init: {
        project: "p",
        entity: null,
        displayName: "demo",
        isNameGiven: false,
        group: null,
        jobType: null,
        notes: null,
        tags: null,
        program: null,
        platform: "linux-x64",
      },
      report: {
        opened: () => undefined,
        warning: () => undefined,
        recovered: () => undefined,
        draining: () => undefined,
        stopRequested: () => undefined,
      },
    });
    await tracker.finish(0);
  }

  describe("a forged wandb.json", () => {
    it("with the path of a file elsewhere truncates nothing there", async () => {
      const file = (size: number) => ({ path: planted.home("oneLine"), folder: "../..", size });
      await fileWith({
        offline: {
          confirmed: { ...START_CURSOR, file: file(3) },
          pending: { ...START_CURSOR, next: 2, file: file(1_000) },
        },
      });
    });

    it.each(["../../../../../home/new", "..", "a/../../../../../../home/.ssh/config"])(
      "with the id %s creates nothing elsewhere",
      async (runId) => {
        const outside = async (): Promise<string> =>
          (await snapshot(planted.root))
            .split("\n")
            .filter((path) => !path.startsWith(folder))
            .join();
        const before = await outside();
        await fileWith({ runId });
        expect(await outside()).toBe(before);
        expect(JSON.parse(await readFile(join(folder, "wandb.json"), "utf8")).runId).toMatch(
          /^[a-z0-9]{8}$/,
        );
      },
    );
  });

  describe("other files of a run with invalid names are rejected:", () => {
    it.each(["../../home/new", "", "a b", "a\u001b]0;b", "x".repeat(200)])(
      "an id %j",
      async (wandb) => {
        const files = planted.fileSystem.within(folder);
        const state = aRunState(2);
        const forged = { ...state, run_ids: { ...state.run_ids, wandb } };
        await writeFile(join(folder, "state.json"), JSON.stringify(forged));
        await expect(readState(files, folder)).rejects.toMatchObject({ code: "state-invalid" });
        const run = JSON.parse(await readFile(join(folder, "run.json"), "utf8"));
        await writeFile(join(folder, "run.json"), JSON.stringify({ ...run, runId: wandb }));
        await expect(readRunFile(files, folder)).rejects.toMatchObject({
          code: "run-file-invalid",
        });
      },
    );

    const PATHS = [
      ...["/etc/passwd", "tinker://../weights/a", "tinker://run/weights/..", "tinker://run/a/b/c"],
      ...["tinker://run/weights/a?b", "tinker://run/weights/a\u0007", "file:///etc/passwd"],
    ];
    it.each(PATHS)("a checkpoint at %j", async (path) => {
      const files = planted.fileSystem.within(folder);
      const last_checkpoint = { step: 2, state_path: path, sampler_path: null, expires_at: null };
      const forged = aRunState(2, { last_checkpoint });
      await writeFile(join(folder, "state.json"), JSON.stringify(forged));
      await expect(readState(files, folder)).rejects.toMatchObject({ code: "state-invalid" });
      expect(parseCheckpoint(checkpoint({ state_path: path }))).toBeNull();
      expect(parseCheckpoint(checkpoint({ sampler_path: path }))).toBeNull();
    });

    it.each(["../a", "a/b", "[x](command:y)", ""])("a checkpoint named %j", (name) => {
      expect(parseCheckpoint(checkpoint({ name }))).toBeNull();
    });

    it("while valid names are kept", () => {
      for (const sampler_path of [
        "tinker://s:train:0/sampler_weights/step-1",
        "tinker://s/step-1",
      ]) {
        expect(parseCheckpoint(checkpoint({ sampler_path }))).not.toBeNull();
      }
    });
  });
});
