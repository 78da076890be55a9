/** Keys of `.env`, and those that a trainer found in its own environment, went wherever the configuration led them. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadVariables } from "../../src/trainer/services/variables.ts";
import type { Listener } from "../editor/listener.ts";
import { aTrainingRequest } from "../fakes/aTrainingRequest.ts";
import {
  openEditor,
  openStrangersProject,
  type StrangersProject,
} from "../host/runs/editorStart.ts";

vi.mock("vscode", async () => (await import("../host/keys/fakeVscode.ts")).fakeWindow);

const KEY = "tml-regression-71be0d4f92ac";
let opened: StrangersProject;
let folder: string;
let stranger: Listener;

beforeEach(async () => {
  opened = await openStrangersProject();
  ({ folder, stranger } = opened);
});

afterEach(() => {
  vi.unstubAllEnvs();
  opened.remove();
});

it("a key of .env goes to another host with leave only, as a stored one does", async () => {
  const configPath = opened.configure("Qwen/Qwen3-8B");
  writeFileSync(join(folder, ".env"), `TINKER_API_KEY=${KEY}\n`);
  const end = await openEditor(folder, [{ notify: "Yes" }]).start(aTrainingRequest(configPath));
  expect(stranger.connections()).toBe(0);
  expect(end.error).toMatchObject({
    code: "key-host-not-allowed",
    key: "TINKER_API_KEY",
    host: `http://${stranger.host}`,
  });
});

it("a trainer that an editor started knows no key of that editor's environment", async () => {
  vi.stubEnv("TINKER_API_KEY", KEY);
  vi.stubEnv("SEARCH_KEY", KEY);
  const handedOver = { keys: {}, variables: {}, envFile: null };
  const variables = await loadVariables(folder, handedOver);
  expect([variables("TINKER_API_KEY"), variables("SEARCH_KEY")]).toEqual([null, null]);
});

it.skipIf(process.platform !== "linux")(
  "nor do they stand in the environment of its process",
  async () => {
    vi.stubEnv("TINKER_API_KEY", KEY);
    vi.stubEnv("SEARCH_KEY", KEY);
    const configPath = opened.configure("local/tiny-tool");
    let environ = "";
    const editor = openEditor(folder);
    const onStart = (pid: number): void => {
      environ = readFileSync(`/proc/${pid}/environ`, "utf8");
    };
    const ended = editor.start(aTrainingRequest(configPath), { onStart });
    expect(await ended).toMatchObject({ exitCode: 0 });
    expect(environ).toContain("PATH=");
    expect(environ).not.toContain(KEY);
  },
);
