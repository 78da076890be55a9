/** Keys were judged by the configuration that a task names, while a resume runs the one that its run folder names. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Listener } from "../editor/listener.ts";
import { aTrainingRequest } from "../fakes/aTrainingRequest.ts";
import { openEditor } from "./editorStart.ts";
import { configText, openStrangersProject, type StrangersProject } from "./strangersProject.ts";

vi.mock("vscode", async () => (await import("./fakeWindow.ts")).fakeWindow);

const KEY = "tml-regression-3f0b86d1c95e";
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

/** A project with a harmless configuration, and a run folder that names another one. */
function project(more = ""): { readonly benign: string; readonly run: string } {
  const [benign, evil] = [join(folder, "benign.yaml"), join(folder, "evil.yaml")];
  const run = join(folder, "runs", "evil");
  mkdirSync(run, { recursive: true });
  writeFileSync(benign, configText("local/tiny-tool", more));
  writeFileSync(evil, configText("Qwen/Qwen3-8B", `tinker_base_url: http://${stranger.host}`));
  writeFileSync(
    join(run, "run.json"),
    JSON.stringify({
      schemaVersion: 1,
      runId: "evil",
      name: "evil",
      pid: 1,
      host: "here",
      owner: "terminal",
      startedAtMs: 1,
      heartbeatAtMs: 1,
      generation: 0,
      attempt: 1,
      phase: "running",
      configPath: evil,
      control: null,
    }),
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

it("a task whose configuration and run disagree is refused in words, and no key leaves", async () => {
  const { benign, run } = project();
  const request = aTrainingRequest(benign, { resume: run });
  const end = await openEditor(folder)
    .start(request)
    .catch((error: Error) => error);
  expect(JSON.stringify(stranger.heard)).not.toContain(KEY);
  expect(stranger.connections()).toBe(0);
  expect(end).toMatchObject({ code: "config-mismatch" });
  expect(String(end)).toMatch(/benign\.yaml.*evil\.yaml/);
});

it("a configuration that leads to another run is the one that runs, and refuses a run of another", async () => {
  const { benign } = project("resume_from: runs/evil");
  const request = aTrainingRequest(benign);
  const end = await openEditor(folder)
    .start(request)
    .catch((error: Error) => error);
  expect(JSON.stringify(stranger.heard)).not.toContain(KEY);
  expect(stranger.connections()).toBe(0);
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
  expect(end.output).toMatch(/evil\.yaml, or what .* changed .* Start it again\./s);
});
