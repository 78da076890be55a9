import { appendFileSync } from "node:fs";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { tailFile } from "../../../src/host/runs/tail.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";

const folder = folderOfEachTest();
const files = filesOnDisk().within(folder);

it("returns existing and appended text once and in order, also with split characters", async () => {
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

it("shows only the end of output that is too long to read", async () => {
  const path = join(folder, "output.log");
  await writeFile(path, "first\n");
  await truncate(path, 3_000_000_000);
  let text = "";
  const tail = tailFile(files, path, (piece) => {
    text += piece;
  });
  await tail.finish();
  expect(text.length).toBe(2 + 16 * 1024 * 1024);
  expect(text.startsWith("…\n")).toBe(true);
});
