import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect, it } from "vitest";
import { readDotEnv } from "../../src/node/dotEnv.ts";
import { folderOfEachTest } from "../fakes/onDisk.ts";

const TEXT = "TINKER_API_KEY=tml-first\nNAME=Zoë\n";
const folder = folderOfEachTest();

function utf16(text: string, isBigEndian: boolean): Buffer {
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le");
  return isBigEndian ? bytes.swap16() : bytes;
}

it.each([
  ["UTF-8", Buffer.from(TEXT)],
  ["UTF-8 with a byte order mark", Buffer.from(`\uFEFF${TEXT}`)],
  ["UTF-16, little end first", utf16(TEXT, false)],
  ["UTF-16, big end first", utf16(TEXT, true)],
])("reads every value of a file in %s", async (_encoding, bytes) => {
  const path = join(folder, ".env");
  await writeFile(path, bytes);
  expect(parseEnv((await readDotEnv(path)) ?? "")).toEqual({
    TINKER_API_KEY: "tml-first",
    NAME: "Zoë",
  });
});

it("ignores a folder and a missing file", async () => {
  expect(await readDotEnv(folder)).toBeNull();
  expect(await readDotEnv(join(folder, ".env"))).toBeNull();
});
