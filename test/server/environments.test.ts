import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  ENVIRONMENT_REQUESTS,
  type EnvironmentCode,
  type NewEnvironment,
} from "../../src/api/environments.ts";
import type { RequestOutcome } from "../../src/api/requests.ts";
import { folderOfEachTest } from "../fakes/onDisk.ts";
import { anEditor } from "./anEditor.ts";

const folder = folderOfEachTest();

const { create } = ENVIRONMENT_REQUESTS;

it("writes the environment that an editor requests, and returns its configuration entry", async () => {
  const request = { name: "demo", template: "judge", folder };
  const outcome = await anEditor().ask<RequestOutcome<NewEnvironment>>(create, request);
  expect(outcome).toMatchObject({
    ok: true,
    value: {
      folder: "environments/demo",
      entry: {
        splits: { train: {} },
        nonterminal_reward: null,
        secrets: { openai_api_key: null },
      },
      requirements: ["openai>=1.88,<4", "openreward>=0.1.167,<0.2", "pytest>=8,<10"],
    },
  });
  const tasks = await readFile(join(folder, "environments/demo/tasks.jsonl"), "utf8");
  expect(tasks.split("\n").length).toBeGreaterThan(10);
});

it("returns the reason if the folder exists", async () => {
  const { ask } = anEditor();
  const request = { name: "demo", template: "state", folder };
  await ask(create, request);
  expect(await ask(create, request)).toMatchObject({
    ok: false,
    error: { code: "environment-exists" },
  });
});

it("rejects a name that leads elsewhere", async () => {
  const request = { name: "../demo", template: "question", folder };
  expect(await anEditor().ask(create, request)).toMatchObject({
    ok: false,
    error: { code: "bad-arguments" },
  });
});

it("rejects a template that does not exist", async () => {
  const request = { name: "demo", template: "../question", folder };
  await expect(anEditor().ask(create, request)).rejects.toThrow("template");
});

it("returns the digest of an environment's code, which changes with its files", async () => {
  const { ask } = anEditor();
  await ask(create, { name: "demo", template: "question", folder });
  const configPath = join(folder, "tinker-config.yaml");
  const command = "[python, environments/demo/environment.py]";
  await writeFile(
    configPath,
    `model_name: local/tiny-tool\nenvironments: { demo: { server: { command: ${command} }, splits: { train: {} }, num_rollouts: 2 } }\nbatch_size: 1\nmax_steps: 1\n`,
  );
  const request = { configPath, overrides: [], environment: "demo" };
  const code = () => ask<RequestOutcome<EnvironmentCode>>(ENVIRONMENT_REQUESTS.code, request);
  const before = await code();
  expect(before).toMatchObject({ ok: true, value: { folder: join(folder, "environments/demo") } });
  expect(await code()).toEqual(before);
  await writeFile(join(folder, "environments/demo/more.py"), "");
  const after = await code();
  expect(after.ok && before.ok && after.value.digest !== before.value.digest).toBe(true);
});
