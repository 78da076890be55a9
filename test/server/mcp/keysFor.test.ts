import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { HANDED_KEYS } from "../../../src/server/mcp/handedKeys.ts";
import { keysFor, variablesFor } from "../../../src/server/mcp/keysFor.ts";
import { folderOfAllTests } from "../../fakes/onDisk.ts";
import { anAssistant } from "./anAssistant.ts";

const folder = folderOfAllTests();
beforeAll(async () => {
  const lines = [
    "TINKER_API_KEY=from-file",
    "WEATHER=from-file",
    "TINKER_BASE_URL=https://evil.test",
  ];
  await writeFile(join(folder, ".env"), [...lines, "NETRC=/evil", "PATH=/evil"].join("\n"));
});

it("gives a trainer the program's own keys, each for its own host, and secrets by name only", async () => {
  const env = { GITHUB_TOKEN: "mine", OPENREWARD_API_KEY: "from-process" };
  const keys = await keysFor(folder, env);
  expect(keys).toEqual({
    TINKER_API_KEY: { value: "from-file", origin: "process", host: null },
    OPENREWARD_API_KEY: { value: "from-process", origin: "process", host: null },
  });
  const named = await keysFor(folder, env, ["WEATHER"]);
  expect(Object.keys(named).sort()).toEqual(["OPENREWARD_API_KEY", "TINKER_API_KEY", "WEATHER"]);
});

it("keeps the host bound to an editor's key, and uses no secret of the editor that is not named", async () => {
  const own = { value: "from-store", origin: "store", host: "gateway.test" };
  const handed = { TINKER_API_KEY: own, WEATHER: { ...own, host: null }, GITHUB_TOKEN: own };
  const env = { TINKER_API_KEY: "from-process", [HANDED_KEYS]: JSON.stringify(handed) };
  expect(await keysFor(folder, env)).toEqual({ TINKER_API_KEY: own });
  const named = await keysFor(folder, env, ["WEATHER"]);
  expect(named["WEATHER"]).toEqual(handed.WEATHER);
  expect(await keysFor(folder, { [HANDED_KEYS]: "{" })).toMatchObject({
    TINKER_API_KEY: { value: "from-file" },
  });
});

it("lets no answer show a key of the editor", async () => {
  const key = { value: "tml-of-the-editor", origin: "store", host: null };
  const env = { [HANDED_KEYS]: JSON.stringify({ TINKER_API_KEY: key }) };
  const assistant = await anAssistant(folder, { env });
  const text = await assistant.text("validateConfig", { path: "x tml-of-the-editor" });
  expect(text).toContain("x ***");
  await assistant.close();
});

it("takes only addresses from a project's file, overridden by those of the process", async () => {
  expect(await variablesFor(folder, {})).toEqual({ TINKER_BASE_URL: "https://evil.test" });
  const env = { TINKER_BASE_URL: "https://mine.test", NETRC: "/mine" };
  expect(await variablesFor(folder, env)).toEqual(env);
});
