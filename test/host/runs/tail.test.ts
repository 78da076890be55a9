import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FolderFiles } from "../../../src/core/ports.ts";
import { tailFile } from "../../../src/host/runs/tail.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import { beforeEachPlantedRun, type PlantedHome } from "../../fakes/plantedHome.ts";

let folder: string;
let files: FolderFiles;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tail-"));
  files = createFileSystem().within(folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

it("hands over what is there and what is added, once and in order, also half letters", async () => {
  const path = join(folder, "output.log");
  appendFileSync(path, "first\n");
  let text = "";
  const tail = tailFile(files, path, (piece) => {
    text += piece;
  });
  await vi.waitFor(() => expect(text).toBe("first\n"));
  const letter = Buffer.from("ä\n");
  appendFileSync(path, letter.subarray(0, 1));
  await vi.waitFor(() => expect(text).toBe("first\n"));
  appendFileSync(path, letter.subarray(1));
  await tail.finish();
  expect(text).toBe("first\nä\n");
});

it("waits for a file that does not exist yet", async () => {
  const path = join(folder, "later.log");
  let text = "";
  const tail = tailFile(files, path, (piece) => {
    text += piece;
  });
  appendFileSync(path, "here");
  await tail.finish();
  expect(text).toBe("here");
});

describe("an output without end", () => {
  let planted: PlantedHome;

  beforeEachPlantedRun((home) => {
    planted = home;
  });

  it("of output that no one could read through only the end is shown", async () => {
    const path = join(planted.root, "output.log");
    await writeFile(path, "first\n");
    await truncate(path, 3_000_000_000);
    let text = "";
    const tail = tailFile(planted.fileSystem.within(planted.root), path, (piece) => {
      text += piece;
    });
    await tail.finish();
    expect(text.length).toBe(2 + 16 * 1024 * 1024);
    expect(text.startsWith("…\n")).toBe(true);
  });
});
