/** Keys of `.env`, and those that a trainer found in its own environment, went wherever the configuration led them. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadVariables } from "../../src/trainer/variables.ts";
import { type Listener, startListener } from "../editor/listener.ts";
import { aWish } from "../fakes/aWish.ts";
import { openEditor } from "./editorStart.ts";

vi.mock("vscode", async () => (await import("./fakeWindow.ts")).fakeWindow);

const KEY = "tml-regression-71be0d4f92ac";
let folder: string;
let stranger: Listener;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "bound-"));
  stranger = await startListener();
});

afterEach(() => {
  vi.unstubAllEnvs();
  stranger.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

function project(model: string): string {
  const configPath = join(folder, "tinker-config.yaml");
  writeFileSync(
    configPath,
    `model_name: ${model}
environments: {local/calculator: {splits: {train: {}}, num_rollouts: 4}}
batch_size: 2
max_steps: 1
tinker_base_url: http://${stranger.host}
`,
  );
  return configPath;
}

it("a key of .env goes to another host with leave only, as a stored one does", async () => {
  const configPath = project("Qwen/Qwen3-8B");
  writeFileSync(join(folder, ".env"), `TINKER_API_KEY=${KEY}\n`);
  const end = await openEditor(folder, [{ notify: "Yes" }]).start(aWish(configPath));
  expect(stranger.connections()).toBe(0);
  expect(end.error).toMatchObject({
    ...{ code: "key-host-not-allowed", key: "TINKER_API_KEY" },
    host: `http://${stranger.host}`,
  });
});

it("a trainer that an editor started knows no key of that editor's environment", async () => {
  vi.stubEnv("TINKER_API_KEY", KEY);
  vi.stubEnv("SEARCH_KEY", KEY);
  const order = { keys: {}, variables: {}, envFile: null };
  const variables = await loadVariables(folder, order);
  expect([variables("TINKER_API_KEY"), variables("SEARCH_KEY")]).toEqual([null, null]);
});

it.skipIf(process.platform !== "linux")(
  "nor do they stand in the environment of its process",
  async () => {
    vi.stubEnv("TINKER_API_KEY", KEY);
    vi.stubEnv("SEARCH_KEY", KEY);
    const configPath = project("local/tiny-tool");
    let environ = "";
    const editor = openEditor(folder);
    const onStart = (pid: number): void => {
      environ = readFileSync(`/proc/${pid}/environ`, "utf8");
    };
    const ended = editor.start(aWish(configPath), { onStart });
    expect(await ended).toMatchObject({ exitCode: 0 });
    expect(environ).toContain("PATH=");
    expect(environ).not.toContain(KEY);
  },
);
