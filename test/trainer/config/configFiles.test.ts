import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { redactSecrets, writtenSecrets } from "../../../src/core/config/secretValues.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { readOverrides } from "../../../src/node/startConfig.ts";
import { loadConfig, writeConfigFiles } from "../../../src/trainer/config/configFiles.ts";
import { textWith } from "../../core/config/configText.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { aConfig, anEnvironment, ENVIRONMENT } from "../../core/training/builders.ts";

const path = resolve("/project/run.yaml");
const SECRETS = textWith("secrets:", "  api_token: hunter2hunter2", "  looked_up:");

function filesWith(text: string) {
  const fileSystem = createMemoryFileSystem();
  fileSystem.files.set(path, new TextEncoder().encode(text));
  return fileSystem;
}

describe("loading a configuration", () => {
  it("returns the original text, the values and the warnings", async () => {
    const text = textWith("learning_rate: 0.01");
    const loaded = await loadConfig(filesWith(text), path);
    expect(loaded).toMatchObject({ text, path });
    expect(loaded.config.learning_rate).toBe(0.01);
    for (const warning of loaded.warnings) expect(warning).toMatch(/^.*run\.yaml:\d+:\d+: warning/);
  });

  it("does not warn about an older key that a run's copy has without a value", async () => {
    const fileSystem = filesWith(textWith("max_active_tasks: 8"));
    await writeConfigFiles(fileSystem, "/run", await loadConfig(fileSystem, path), new Redactor());
    const copy = "/run/config.resolved.json";
    expect(await fileSystem.readText(copy)).toContain('"max_rollout_concurrency": null');
    expect((await loadConfig(fileSystem, copy)).warnings).toEqual([]);
  });

  it("fails with one line per problem", async () => {
    const text = textWith("learning_rat: 0.01", "max_steps: many");
    await expect(loadConfig(filesWith(text), path)).rejects.toMatchObject({
      code: "config-invalid",
      message: expect.stringMatching(/run\.yaml:\d+:\d+: .*\n.*run\.yaml:\d+:\d+: /),
      data: { problems: 2 },
    });
  });

  it("says what to do if the file does not exist", async () => {
    await expect(loadConfig(createMemoryFileSystem(), "nowhere.yaml")).rejects.toMatchObject({
      code: "config-not-found",
      message: expect.stringMatching(/^nowhere\.yaml: error: .*examples/),
    });
  });
});

describe("secrets in a configuration", () => {
  const config = aConfig({
    secrets: { api_token: "hunter2hunter2", looked_up: null },
    environments: {
      [ENVIRONMENT]: anEnvironment({ secrets: { pin: "1234", withheld: "" } }),
      "Owner/Other": anEnvironment(),
    },
  });

  it("are redacted whatever they are, with their names kept", () => {
    const hidden = redactSecrets(config);
    expect(hidden.secrets).toEqual({ api_token: null, looked_up: null });
    expect(hidden.environments[ENVIRONMENT]?.secrets).toEqual({ pin: null, withheld: null });
    expect(hidden.environments["Owner/Other"]?.secrets).toBeNull();
    expect(JSON.stringify(hidden)).not.toMatch(/hunter2|1234/);
    expect({ ...hidden, secrets: null, environments: {} }).toEqual({
      ...config,
      secrets: null,
      environments: {},
    });
  });

  it("are registered for redaction before anything is written", () => {
    expect(writtenSecrets(config)).toEqual(["1234", "hunter2hunter2"]);
    expect(writtenSecrets(aConfig())).toEqual([]);
  });

  it("are not written to the run folder", async () => {
    const fileSystem = createMemoryFileSystem();
    const redactor = new Redactor();
    const loaded = await loadConfig(filesWith(SECRETS), path);
    for (const secret of writtenSecrets(loaded.config)) redactor.learn(secret);
    await writeConfigFiles(fileSystem, "/runs/one", loaded, redactor);
    const text = await fileSystem.readText("/runs/one/config.yaml");
    const resolved: unknown = JSON.parse(
      await fileSystem.readText("/runs/one/config.resolved.json"),
    );
    expect(text).toBe(SECRETS.replace("hunter2hunter2", "null"));
    expect(resolved).toEqual(redactSecrets(loaded.config));
    expect(await readOverrides(fileSystem, "/runs/one")).toEqual([]);
  });

  it("are not written through overrides either, which are stored for a resume", async () => {
    const fileSystem = createMemoryFileSystem();
    const overrides = ["seed=7", "secrets.pin=12"];
    const loaded = await loadConfig(filesWith(textWith()), path, overrides);
    expect(loaded.config).toMatchObject({ seed: 7, secrets: { pin: "12" } });
    await writeConfigFiles(fileSystem, "/runs/one", loaded, new Redactor());
    expect(await readOverrides(fileSystem, "/runs/one")).toEqual(["seed=7", "secrets.pin=null"]);
    const resolved = await fileSystem.readText("/runs/one/config.resolved.json");
    expect(JSON.parse(resolved)).toMatchObject({ seed: 7, secrets: { pin: null } });
  });
});
