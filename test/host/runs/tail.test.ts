import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { FolderFiles } from "../../../src/core/ports.ts";
import { tailFile } from "../../../src/host/runs/tail.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";

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

it("says nothing more once it is stopped", async () => {
  const path = join(folder, "output.log");
  const onText = vi.fn();
  const tail = tailFile(files, path, onText);
  tail.stop();
  appendFileSync(path, "late");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(onText).not.toHaveBeenCalled();
});
