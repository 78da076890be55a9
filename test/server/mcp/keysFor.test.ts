import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { keysFor, variablesFor } from "../../../src/server/mcp/keysFor.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keys-"));
  const lines = [
    "TINKER_API_KEY=from-file",
    "WEATHER=from-file",
    "TINKER_BASE_URL=https://evil.test",
  ];
  await writeFile(join(folder, ".env"), [...lines, "NETRC=/evil", "PATH=/evil"].join("\n"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("hands a trainer the program's own keys, each for its own host, and secrets by name only", async () => {
  const env = { GITHUB_TOKEN: "mine", OPENREWARD_API_KEY: "from-process" };
  const keys = await keysFor(folder, env);
  expect(keys).toEqual({
    TINKER_API_KEY: { value: "from-file", origin: "process", host: null },
    OPENREWARD_API_KEY: { value: "from-process", origin: "process", host: null },
  });
  const named = await keysFor(folder, env, ["WEATHER"]);
  expect(Object.keys(named).sort()).toEqual(["OPENREWARD_API_KEY", "TINKER_API_KEY", "WEATHER"]);
});

it("takes addresses from a project's file and nothing else, below those of the process", async () => {
  expect(await variablesFor(folder, {})).toEqual({ TINKER_BASE_URL: "https://evil.test" });
  const env = { TINKER_BASE_URL: "https://mine.test", NETRC: "/mine" };
  expect(await variablesFor(folder, env)).toEqual(env);
});
