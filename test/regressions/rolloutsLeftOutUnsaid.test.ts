import { mkdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { showStep } from "../../src/cli/show/showStep.ts";
import { RunFollower } from "../../src/core/runFolder/follower.ts";
import { createRunReader } from "../../src/core/runFolder/reader.ts";
import { createRolloutStore } from "../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { encodeJsonLine } from "../../src/core/util/jsonl.ts";
import { aRecord, collect } from "../core/runFolder/builders.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import type { PlantedHome } from "../fakes/plantedHome.ts";
import { beforeEachPlantedRun } from "../fakes/plantedHome.ts";

const MIB = 1024 ** 2;
let planted: PlantedHome;
let folder: string;

beforeEachPlantedRun((home, path) => {
  planted = home;
  folder = path;
});

/** A list of one rollout, of that many bytes in all. */
async function longList(source: "training" | "evaluation", bytes: number): Promise<void> {
  const files = planted.fileSystem.within(folder);
  const path =
    source === "training" ? "rollouts/step-000000.index.jsonl" : "eval/step-000000.jsonl";
  if (source === "training") {
    const store = createRolloutStore({ fileSystem: files, redactor: new Redactor(), folder });
    await store.addRollout(aRecord());
  } else {
    await mkdir(join(folder, "eval"));
    await files.append(join(folder, path), encodeJsonLine({ ...aRecord(), temperature: 1 }));
  }
  await truncate(join(folder, path), bytes);
}

it.each([
  ["training", 10, /^(?!.*not shown)/],
  ["training", 40, /rollouts\/step-000000\.index\.jsonl .* its last \d\d MiB are not shown/],
  ["evaluation", 300, /eval\/step-000000\.jsonl .* its last \d\d MiB are not shown/],
] as const)("the dashboard says when a list of %s of %d MiB is cut", async (source, size, said) => {
  await longList(source, size * MIB);
  const follower = new RunFollower({ fileSystem: planted.fileSystem, folder });
  await follower.refresh();
  expect(follower.problem ?? "").not.toContain("not shown");
  for (const _ of [1, 2]) expect(await follower.rollouts(0, source)).toHaveLength(1);
  expect(follower.problem ?? "").toMatch(said);
});

it("the terminal says it below the table", async () => {
  await longList("training", 40 * MIB);
  const files = planted.fileSystem.within(folder);
  const lines = showStep(
    {
      fileSystem: files,
      clock: new FakeClock(),
      reader: createRunReader(files, folder),
      folder,
      width: 100,
      invocation: { program: "tinker-rl", cwd: "/" },
      loadTokenizer: () => Promise.reject(new Error("not asked for")),
    },
    1,
  );
  expect(JSON.stringify(await collect(lines))).toMatch(/step-000000\.index\.jsonl .* not shown/);
});
