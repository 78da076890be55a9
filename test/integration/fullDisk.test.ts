/** A disk that fills up during a run: the error names the first file that could not be written, and nothing is lost. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { AppError } from "../../src/core/errors.ts";
import type { FileSystem } from "../../src/core/ports.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { trained } from "./comparedRuns.ts";
import { resume, runIn, train } from "./controlledRun.ts";
import { execute, runFolderWith } from "./localRun.ts";

const STEPS = 3;
/** Larger than real process ids. */
const NO_PROCESS = 2 ** 30;
const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 4
max_steps: ${STEPS}
`;

/** A file system that is full as soon as something appends to the file of that name. */
function fullFrom(name: string): FileSystem {
  let isFull = false;
  const write = <T>(path: string, action: () => Promise<T>): Promise<T> => {
    isFull ||= path.endsWith(name);
    if (!isFull) return action();
    throw new AppError("disk", `Cannot write ${path}. The disk is full.`);
  };
  const filling = <T extends FileSystem>(files: T): T => ({
    ...files,
    append: async (path, data) => write(path, () => files.append(path, data)),
    writeAtomic: async (path, data) => write(path, () => files.writeAtomic(path, data)),
    within: (folder) => filling(files.within(folder)),
  });
  return filling(createFileSystem());
}

/** The state after the training process ended without a final record, as happens on a full disk. */
async function endProcess(project: string): Promise<void> {
  const path = join(runIn(project), "run.json");
  const file = z.looseObject({ pid: z.int() }).parse(JSON.parse(await readFile(path, "utf8")));
  expect(file.pid).toBe(process.pid);
  await writeFile(path, JSON.stringify({ ...file, pid: NO_PROCESS }));
}

describe("a disk that fills up", () => {
  it.each([["rollouts/step-000001.jsonl"], ["metrics.jsonl"]])(
    "with %s: the error names that file, and a resume is exact",
    async (name) => {
      const whole = await runFolderWith(CONFIG);
      expect((await train(whole).ended).outcome).toBe("done");

      const project = await runFolderWith(CONFIG);
      await expect(execute(project, { fileSystem: fullFrom(name) })).rejects.toMatchObject({
        code: "disk",
        message: expect.stringContaining(name),
      });
      await endProcess(project);
      expect((await resume(project).ended).outcome).toBe("done");
      expect(await trained(runIn(project))).toEqual(await trained(runIn(whole)));
    },
  );
});
