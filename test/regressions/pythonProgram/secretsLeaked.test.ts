import { describe, expect, it } from "vitest";
import { createEventLog } from "../../../src/core/runFolder/events.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { resolveSecrets } from "../../../src/core/secrets/resolve.ts";
import { loadConfig, writeConfigFiles } from "../../../src/trainer/config/configFiles.ts";
import { textWith } from "../../core/config/configText.ts";
import { aRecord } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem, createStillClock } from "../../core/runFolder/memoryFileSystem.ts";
import { ENVIRONMENT } from "../../core/training/builders.ts";
import * as original from "./original.ts";

describe("secrets", () => {
  const SECRET = "sk-0123456789";
  const folder = "/runs/one";

  const resolve = (
    wanted: Readonly<Record<string, string | null>>,
    variables: Readonly<Record<string, string>>,
    redactor = new Redactor(),
  ) =>
    resolveSecrets({
      environment: ENVIRONMENT,
      environmentSecrets: null,
      globalSecrets: wanted,
      lookUp: async (name) => variables[name] ?? null,
      redactor,
    });

  it("secrets do not leave the program with its configuration, events or rollouts", async () => {
    const fileSystem = createMemoryFileSystem();
    const text = textWith(`secrets: {judge_key: ${SECRET}, other_key: }`);
    fileSystem.files.set("/run.yaml", new TextEncoder().encode(text));
    const loaded = await loadConfig(fileSystem, "/run.yaml");
    expect(original.trackedConfig(loaded.config)).toContain(SECRET);

    fileSystem.files.clear();
    const redactor = new Redactor();
    const looked = "found-9876543210";
    await resolve(loaded.config.secrets ?? {}, { OTHER_KEY: looked }, redactor);
    await writeConfigFiles(fileSystem, folder, loaded, redactor);
    const leaks = `${SECRET} ${looked}`;
    const clock = createStillClock();
    const events = createEventLog({ fileSystem, clock, redactor, folder, attempt: 1 });
    await events.record({ step: 0, level: "warn", kind: "odd", message: leaks, data: { leaks } });
    const store = createRolloutStore({ fileSystem, redactor, folder });
    await store.addRollout(aRecord({ promptText: leaks, error: leaks }));
    const written = [...fileSystem.files.values()].map((bytes) => new TextDecoder().decode(bytes));
    expect(written.length).toBeGreaterThanOrEqual(5);
    expect(written.join("\n")).not.toMatch(new RegExp(`${SECRET}|${looked}`));
  });

  it("secrets are looked up under any name, and a missing one is named", async () => {
    const variables = { SEARCH_KEY: "s-1", WANDB_API_KEY: "w-1" };
    expect(original.resolvedSecrets({ search_key: null }, variables)).toEqual({});
    expect(await resolve({ search_key: null }, variables)).toEqual({ search_key: "s-1" });
    expect(original.resolvedSecrets({ judge_key: null }, variables)).toEqual({});
    await expect(resolve({ judge_key: null }, variables)).rejects.toThrow(/JUDGE_KEY/);
  });

  it("secrets do not include the program's own keys", async () => {
    const variables = { WANDB_API_KEY: "w-1" };
    const wanted = { wandb_api_key: null };
    expect(original.resolvedSecrets(wanted, variables)).toEqual({ wandb_api_key: "w-1" });
    await expect(resolve(wanted, variables)).rejects.toMatchObject({ code: "secret-not-allowed" });
  });
});
