/** Names of overrides, which a repository writes into its settings and tasks, reached the trainer as words of its command line. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { parseArguments } from "../../src/cli/arguments/arguments.ts";
import type { Listener } from "../editor/listener.ts";
import { aTrainingRequest } from "../fakes/aTrainingRequest.ts";
import { openEditor } from "./editorStart.ts";
import { openStrangersProject, type StrangersProject } from "./strangersProject.ts";

vi.mock("vscode", async () => (await import("./fakeWindow.ts")).fakeWindow);

const KEY = "tml-regression-9d41c7a2e8b0";
let opened: StrangersProject;
let folder: string;
let stranger: Listener;

beforeEach(async () => {
  opened = await openStrangersProject();
  ({ folder, stranger } = opened);
  vi.stubEnv("TINKER_API_KEY", KEY);
});

afterEach(() => {
  vi.unstubAllEnvs();
  opened.remove();
});

it.each(["--allow-host=x", "--config_path=other.yaml", "--launch=/tmp", "-c=other.yaml"])(
  "%s among the overrides is an error, and no key leaves",
  async (odd) => {
    const all = ["batch_size=2", odd];
    for (const [key, source] of [
      ["overrides", "The task"],
      ["settingOverrides", "The setting tinkerRL.overrides"],
    ] as const) {
      const end = await openEditor(folder)
        .start(aTrainingRequest(opened.configure("Qwen/Qwen3-8B"), { [key]: all }))
        .catch((error: Error) => error);
      expect(JSON.stringify(stranger.heard)).not.toContain(KEY);
      expect(stranger.connections()).toBe(0);
      expect(end).toMatchObject({ code: "config-invalid" });
      expect(String(end)).toContain(`${source} cannot be used: TRL1`);
      expect(String(end)).toContain(odd);
    }
  },
);

it.skipIf(process.platform !== "linux")(
  "the trainer's command line names the folder of the launch, and nothing that a project chose",
  async () => {
    let commandLine: readonly string[] = [];
    const configPath = join(folder, "local.yaml");
    writeFileSync(
      configPath,
      `model_name: local/tiny-tool
environments: {local/calculator: {splits: {train: {}}, num_rollouts: 4}}
batch_size: 2
`,
    );
    const request = aTrainingRequest(configPath, { overrides: ["max_steps=1"] });
    const end = await openEditor(folder).start(request, {
      onStart: (pid) => {
        commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(2, -1);
      },
    });
    expect(commandLine).toEqual(["--launch", expect.stringContaining(join(folder, "launches"))]);
    expect(end).toMatchObject({ exitCode: 0 });
    expect(end.output).toContain("done after 1 step");
  },
);

it("paths of checkpoints, which a run folder names, are no flags either", () => {
  const words = [
    "checkpoints",
    "delete",
    "--local",
    "--",
    "--allow-host=x",
    "tinker://a/weights/b",
  ];
  expect(() => parseArguments(words)).toThrow("--allow-host=x is no address of a checkpoint");
});
