import { expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { runPaths, supersededFolder } from "../../../src/core/runFolder/files/layout.ts";
import { supersedeFrom } from "../../../src/core/runFolder/supersede.ts";
import { createMemoryFileSystem } from "./memoryFileSystem.ts";

const FOLDER = "run";
const { metrics } = runPaths(FOLDER);

it("rows are moved out of a file that is larger than usual reads", async () => {
  const files = createMemoryFileSystem();
  await files.append(metrics, '{"step":0}\n{"step":1}\n');
  const { readBytes } = files;
  const large: typeof files = {
    ...files,
    readBytes: async (path, maxBytes = 256 * 1024 ** 2) => {
      if (maxBytes < 300 * 1024 ** 2) throw new AppError("file-too-large", `${path} has 300 MiB.`);
      return readBytes(path);
    },
  };
  await supersedeFrom(large, { folder: FOLDER, attempt: 1, step: 1 });
  expect(await files.readText(metrics)).toBe('{"step":0}\n');
  const moved = runPaths(supersededFolder(FOLDER, 1)).metrics;
  expect(await files.readText(moved)).toBe('{"step":1}\n');
});
