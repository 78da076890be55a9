import { expect, it } from "vitest";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { loadConfigText } from "../../../src/trainer/config/configFiles.ts";
import { StoredPlays } from "../../../src/trainer/play/storedPlays.ts";
import { ServerOutput } from "../../../src/trainer/services/serverOutput.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { aRollout, ENVIRONMENT } from "../../core/training/builders.ts";

const CONFIG = {
  model_name: "Qwen/Qwen3-8B",
  batch_size: 1,
  log_path: "/runs",
  environments: { [ENVIRONMENT]: { splits: { train: {} }, num_rollouts: 2 } },
};

it("plays that end immediately are stored in one run folder, with the server's output", async () => {
  const fileSystem = createMemoryFileSystem();
  const redactor = new Redactor();
  const serverOutput = new ServerOutput(redactor);
  serverOutput.write("maze", "started\n");
  const plays = new StoredPlays({
    fileSystem,
    loaded: loadConfigText(JSON.stringify(CONFIG), "/project/config.yaml", []),
    cell: { environment: ENVIRONMENT, split: "train", temperature: 1 },
    player: "chance",
    path: null,
    redactor,
    serverOutput,
  });
  await Promise.all([
    plays.add(aRollout({ reward: 1, rollout: 0 })),
    plays.add(aRollout({ reward: 0, rollout: 1 })),
  ]);
  const folder = await plays.end();
  const files = [...fileSystem.files.keys()].filter((path) => path.endsWith("/run.json"));
  expect(files).toEqual([`${folder}/run.json`]);
  await serverOutput.close();
  expect(await fileSystem.readText(`${folder}/servers/maze.log`)).toBe("started\n");
});
