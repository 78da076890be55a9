import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { loadVariables } from "../../../src/trainer/services/variables.ts";
import { textWith } from "../../core/config/configText.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { aTrainingRequest } from "../../fakes/aTrainingRequest.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";
import { openEditor } from "./editorStart.ts";

vi.mock("vscode", async () => (await import("../fakeVscode.ts")).fakeVscode);

const HOSTED = `model_name: Qwen/Qwen3-8B
batch_size: 4
environments: {local/calculator: {splits: {train: {}}, num_rollouts: 4}}
`;

const folder = folderOfEachTest();
const [home, project] = [join(folder, "home"), join(folder, "project")];
const config = join(project, "tinker-config.yaml");

beforeEach(() => {
  for (const each of [home, project]) mkdirSync(each);
  writeFileSync(config, HOSTED);
  writeFileSync(join(home, ".bashrc"), "export TINKER_API_KEY=tml-of-the-shell\n");
  writeFileSync(join(project, ".env"), "TINKER_API_KEY=tml-of-the-project\n");
});

function linkToHome(): void {
  rmSync(join(project, ".env"));
  symlinkSync("../home/.bashrc", join(project, ".env"));
}

it("asks again, with the resolved path, when a link replaces the file", async () => {
  const editor = openEditor(folder, [{ notify: "Yes" }, { notify: "No" }, { type: "tml-typed" }]);
  expect(await editor.launchRequest(aTrainingRequest(config))).toMatchObject({
    envFile: join(project, ".env"),
  });
  linkToHome();
  expect(await editor.launchRequest(aTrainingRequest(config))).toMatchObject({ envFile: null });
  expect(editor.ui.text).toContain(join(home, ".bashrc"));
  expect(editor.ui.unused).toBe(0);
});

it("asks again when a setting names another file", async () => {
  let envFile = ".env";
  const answers = [{ notify: "Yes" }, { notify: "No" }, { type: "tml-typed" }] as const;
  const editor = openEditor(folder, answers, () => envFile);
  expect(await editor.launchRequest(aTrainingRequest(config))).toMatchObject({
    envFile: join(project, ".env"),
  });
  envFile = "../home/.bashrc";
  expect(await editor.launchRequest(aTrainingRequest(config))).toMatchObject({ envFile: null });
  expect(editor.ui.text).toContain(join(home, ".bashrc"));
});

it("a trainer reads the approved file, and no link in its place", async () => {
  const launchRequest = { keys: {}, variables: {}, envFile: join(project, ".env") };
  expect((await loadVariables(project, launchRequest))("TINKER_API_KEY")?.value).toBe(
    "tml-of-the-project",
  );
  linkToHome();
  expect((await loadVariables(project, launchRequest))("TINKER_API_KEY")).toBeNull();
});

it("an untrusted run folder reads no .env, although its project is approved", async () => {
  const run = join(folder, "downloads", "run");
  mkdirSync(run, { recursive: true });
  const file = aRunFile({ name: "r", configPath: config });
  writeFileSync(join(run, "run.json"), JSON.stringify(file));
  const editor = openEditor(folder, [{ notify: "Yes" }, { notify: "No" }, { type: "tml-typed" }]);
  expect(await editor.launchRequest(aTrainingRequest(config))).toMatchObject({
    envFile: join(project, ".env"),
  });
  expect(await editor.launchRequest(aTrainingRequest(config, { resume: run }))).toMatchObject({
    envFile: null,
  });
  expect(editor.ui.text).toContain(`Let runs of ${run} read keys from ${join(project, ".env")}?`);
});

it("a .env that is not a regular file or too large gives no keys, without a delay", async () => {
  writeFileSync(config, textWith());
  rmSync(join(project, ".env"));
  symlinkSync("/dev/zero", join(project, ".env"));
  expect((await loadVariables(project))("TINKER_RL_TEST_VARIABLE")).toBeNull();
  rmSync(join(project, ".env"));
  writeFileSync(join(project, ".env"), `TINKER_RL_TEST_VARIABLE=${"x".repeat(2 * 1024 * 1024)}`);
  expect((await loadVariables(project))("TINKER_RL_TEST_VARIABLE")).toBeNull();
});
