/** A home folder whose files must not change, next to a project with a stopped run, for attacks from one on the other. */

import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { writeState } from "../../src/core/runFolder/state.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { encodeJsonLine } from "../../src/core/util/jsonl.ts";
import { type ClosableFileSystem, createFileSystem } from "../../src/node/fileSystem.ts";
import { loadConfig, writeConfigFiles } from "../../src/trainer/config/configFiles.ts";
import { aRunState } from "../trainer/runState.ts";
import { startedRun } from "./startedRun.ts";

const HOME: Readonly<Record<string, string>> = {
  ".bashrc": "alias ll='ls -l'\nexport EDITOR=vi\n",
  oneLine: "no line feed at the end",
  ".ssh/config": "Host *\n  User me\n",
  ".config/app/settings.json": "{}\n",
};
const CONFIG = `
model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 4
max_steps: 4
`;

export class PlantedHome {
  readonly fileSystem: ClosableFileSystem = createFileSystem();
  readonly root: string;
  #before: string;

  private constructor(root: string, before: string) {
    this.root = root;
    this.#before = before;
  }

  static async make(): Promise<PlantedHome> {
    const root = await mkdtemp(join(tmpdir(), "tinker-rl-planted-"));
    for (const [name, text] of Object.entries(HOME)) {
      const path = join(root, "home", name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    await mkdir(join(root, "project"));
    await writeFile(join(root, "project", "run.yaml"), CONFIG);
    return new PlantedHome(root, await snapshot(join(root, "home")));
  }

  /** A path in the home folder. */
  home(...names: readonly string[]): string {
    return join(this.root, "home", ...names);
  }

  get configPath(): string {
    return join(this.root, "project", "run.yaml");
  }

  /** The folder with the project's runs. */
  get runs(): string {
    return join(this.root, "project", ".tinker-rl", "runs");
  }

  /** A run that was stopped after two of its four steps. */
  async stoppedRun(name = "demo"): Promise<string> {
    const { fileSystem, configPath } = this;
    const lease = await startedRun(fileSystem, this.runs, { name, pid: 2 ** 30, configPath });
    const { folder } = lease;
    const files = fileSystem.within(folder);
    await writeConfigFiles(files, folder, await loadConfig(fileSystem, configPath), new Redactor());
    const rows = [0, 1, 2].map((step) =>
      encodeJsonLine({ step, rollout: { reward: { mean: 0 } } }),
    );
    await files.append(`${folder}/metrics.jsonl`, Buffer.concat(rows));
    await files.append(`${folder}/rollouts/step-000001.jsonl`, "{}\n");
    await files.append(`${folder}/rollouts/step-000002.jsonl`, "{}\n");
    await files.append(`${folder}/events.jsonl`, "");
    await files.append(`${folder}/checkpoints.jsonl`, "");
    await writeState(files, folder, aRunState(2));
    await lease.update({ phase: "stopped" });
    await fileSystem.close();
    return folder;
  }

  /** True if all names, links, and contents of the home folder are unchanged. */
  async isUntouched(): Promise<boolean> {
    return (await snapshot(this.home())) === this.#before;
  }

  async remove(): Promise<void> {
    await this.fileSystem.close();
    await rm(this.root, { recursive: true });
  }
}

/** Names, kinds, links, and contents of everything in a folder, as one text. */
export async function snapshot(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const lines = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) return `${path} -> ${await readlink(path)}`;
    return entry.isFile() ? `${path}: ${await readFile(path, "hex")}` : path;
  });
  return (await Promise.all(lines)).sort().join("\n");
}

/** Call outside of tests. Passes home and run folder to `take` before each test, and checks after it that the home is unchanged. */
export function beforeEachPlantedRun(take: (planted: PlantedHome, folder: string) => void): void {
  let planted: PlantedHome;
  beforeEach(async () => {
    planted = await PlantedHome.make();
    take(planted, await planted.stoppedRun());
  });
  afterEach(async () => {
    expect(await planted.isUntouched()).toBe(true);
    await planted.remove();
  });
}
