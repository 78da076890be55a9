import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { removeSocketFolder } from "../../../src/local/http/servingProcess.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";

const folder = folderOfEachTest();

it.each([
  ["is removed", "tinker-rl-a1b2c3", null, false],
  ["stays while it holds something", "tinker-rl-a1b2c3", "notes.txt", true],
  ["stays where a person has named it", "sockets", null, true],
] as const)("the folder of a socket %s", async (_, name, file, stays) => {
  const own = join(folder, name);
  await mkdir(own);
  if (file !== null) await writeFile(join(own, file), "");
  await removeSocketFolder({ kind: "socket", path: join(own, "service.sock") });
  expect(existsSync(own)).toBe(stays);
});
