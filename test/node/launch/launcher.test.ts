import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadVariables } from "../../../src/trainer/services/variables.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import type { Listener } from "../../editor/listener.ts";
import { aTrainingRequest } from "../../fakes/aTrainingRequest.ts";
import {
  configText,
  openEditor,
  openStrangersProject,
  type StrangersProject,
} from "../../host/runs/editorStart.ts";

vi.mock("vscode", async () => (await import("../../host/fakeVscode.ts")).fakeVscode);

const KEY = "tml-of-the-user-71be0d4f92ac";

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

/** The end of a start that sends no key out of the project. */
async function startSecretly(request: ReturnType<typeof aTrainingRequest>) {
  const end = await openEditor(folder)
    .start(request)
    .catch((error: Error) => error);
  expect(JSON.stringify(stranger.heard)).not.toContain(KEY);
  expect(stranger.connections()).toBe(0);
  return end;
}

it("a key of .env is sent to another host only with permission, like a stored one", async () => {
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

it("a trainer that an editor started sees no key of that editor's environment", async () => {
  vi.stubEnv("SEARCH_KEY", KEY);
  const handedOver = { keys: {}, variables: {}, envFile: null };
  const variables = await loadVariables(folder, handedOver);
  expect([variables("TINKER_API_KEY"), variables("SEARCH_KEY")]).toEqual([null, null]);
});

it.skipIf(process.platform !== "linux")(
  "the environment of a trainer that an editor started holds no key",
  async () => {
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

it.each(["--allow-host=x", "--config_path=other.yaml", "--launch=/tmp", "-c=other.yaml"])(
  "%s among the overrides is an error, and no key is sent",
  async (odd) => {
    const all = ["batch_size=2", odd];
    for (const [key, source] of [
      ["overrides", "The task"],
      ["settingOverrides", "The setting tinkerRL.overrides"],
    ] as const) {
      const configPath = opened.configure("Qwen/Qwen3-8B");
      const end = await startSecretly(aTrainingRequest(configPath, { [key]: all }));
      expect(end).toMatchObject({ code: "config-invalid" });
      expect(String(end)).toContain(`${source} cannot be used: TRL1`);
      expect(String(end)).toContain(odd);
    }
  },
);

it("a trainer starts and says what is missing if the configuration's folder is gone", async () => {
  const end = await openEditor(folder).start(aTrainingRequest(join(folder, "gone", "a.yaml")));
  expect(end.error).toMatchObject({ code: "config-not-found" });
});

it.skipIf(process.platform !== "linux")(
  "the trainer's command line names the folder of the launch, and nothing that a project chose",
  async () => {
    let commandLine: readonly string[] = [];
    const configPath = join(folder, "local.yaml");
    writeFileSync(configPath, configText("local/tiny-tool"));
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

/** A project with a harmless configuration, and a run folder that names another one. */
function project(more = ""): { readonly benign: string; readonly run: string } {
  const [benign, evil] = [join(folder, "benign.yaml"), join(folder, "evil.yaml")];
  const run = join(folder, "runs", "evil");
  mkdirSync(run, { recursive: true });
  writeFileSync(benign, configText("local/tiny-tool", more));
  writeFileSync(evil, configText("Qwen/Qwen3-8B", `tinker_base_url: http://${stranger.host}`));
  writeFileSync(
    join(run, "run.json"),
    JSON.stringify(aRunFile({ name: "evil", phase: "running", configPath: evil })),
  );
  const resolved = {
    model_name: "Qwen/Qwen3-8B",
    batch_size: 2,
    max_steps: 1,
    environments: { "local/calculator": { splits: { train: {} }, num_rollouts: 4 } },
    tinker_base_url: `http://${stranger.host}`,
  };
  writeFileSync(join(run, "config.resolved.json"), JSON.stringify(resolved));
  return { benign, run };
}

it("a task whose configuration and run disagree is rejected, and no key is sent", async () => {
  const { benign, run } = project();
  const end = await startSecretly(aTrainingRequest(benign, { resume: run }));
  expect(end).toMatchObject({ code: "config-mismatch" });
  expect(String(end)).toMatch(/benign\.yaml.*evil\.yaml/);
});

it("a configuration that resumes another run is the one that runs, and rejects a run of another", async () => {
  const { benign } = project("resume_from: runs/evil");
  const end = await startSecretly(aTrainingRequest(benign));
  expect(JSON.stringify(end)).toContain("config-identity");
});

it.each([
  ["the configuration", "evil.yaml"],
  ["the overrides of its run", "runs/evil/overrides.json"],
])("a trainer refuses keys when %s changed after they were chosen", async (_, name) => {
  const { run } = project();
  const evil = join(folder, "evil.yaml");
  writeFileSync(evil, configText("Qwen/Qwen3-8B"));
  const change = (): void => {
    const text = name.endsWith("json")
      ? JSON.stringify([`tinker_base_url=http://${stranger.host}`])
      : configText("Qwen/Qwen3-8B", `tinker_base_url: http://${stranger.host}`);
    writeFileSync(join(folder, name), text);
  };
  const request = aTrainingRequest(evil, { resume: run });
  const end = await openEditor(folder).start(request, { onOrder: change });
  expect(stranger.connections()).toBe(0);
  expect(end).toMatchObject({ exitCode: 2, error: { code: "config-changed" } });
  expect(end.output).toMatch(/evil\.yaml or the settings .* changed .* Start it again\./s);
});
