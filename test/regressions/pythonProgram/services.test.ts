import { describe, expect, it } from "vitest";
import { createEventLog } from "../../../src/core/runFolder/events.ts";
import { buildMetricsRow } from "../../../src/core/runFolder/metrics.ts";
import { flattenMetrics } from "../../../src/core/runFolder/metricsTree.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rolloutStore.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { resolveSecrets } from "../../../src/core/secrets/resolve.ts";
import { loadConfig, writeConfigFiles } from "../../../src/trainer/config/configFiles.ts";
import { textWith } from "../../core/config/configText.ts";
import { aRecord, rolloutFacts, stepFacts } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem, createStillClock } from "../../core/runFolder/memoryFileSystem.ts";
import { ENVIRONMENT } from "../../core/training/builders.ts";
import { prepareRun } from "../../core/training/loop/prepareRun.ts";
import { fakeTinker } from "../../fakes/fakeTinker.ts";
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

  it("D-19 secrets do not leave the program with its configuration, events or rollouts", async () => {
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

  it("D-50 secrets are looked up under any name, and a missing one is named", async () => {
    const variables = { SEARCH_KEY: "s-1", WANDB_API_KEY: "w-1" };
    expect(original.resolvedSecrets({ search_key: null }, variables)).toEqual({});
    expect(await resolve({ search_key: null }, variables)).toEqual({ search_key: "s-1" });
    expect(original.resolvedSecrets({ judge_key: null }, variables)).toEqual({});
    await expect(resolve({ judge_key: null }, variables)).rejects.toThrow(/JUDGE_KEY/);
  });

  it("D-50 secrets do not include the program's own keys", async () => {
    const variables = { WANDB_API_KEY: "w-1" };
    const wanted = { wandb_api_key: null };
    expect(original.resolvedSecrets(wanted, variables)).toEqual({ wandb_api_key: "w-1" });
    await expect(resolve(wanted, variables)).rejects.toMatchObject({ code: "secret-not-allowed" });
  });
});

describe("the metrics of a step", () => {
  const group = [1, 0].map((reward) => ({ stop: "reached_terminal_state", reward }));

  it("D-52 metrics are JSON also where a number is none", () => {
    expect(() => JSON.parse(original.rowText({ loss: Number.NaN }))).toThrow(SyntaxError);
    const row = buildMetricsRow(stepFacts({ loss: Number.NaN }));
    expect(JSON.parse(JSON.stringify(row))).toMatchObject({ loss: null, loss_nonfinite: true });
  });

  it("D-26 metrics tell how far trainer and sampler are apart, and the entropy", () => {
    const theirs = original.metricsRow(original.keptGroups([group], 0), 0);
    expect(Object.keys(theirs ?? {})).toEqual(["loss", "num_errors", "rollout"]);
    const datum = {
      samplerLogprobs: [0, -1.2, -0.5],
      trainerLogprobs: [-4, -1, -0.7],
      mask: [0, 1, 1],
      advantages: [0, 1, 1],
    };
    const row = flattenMetrics(
      buildMetricsRow(stepFacts({ rollouts: [rolloutFacts()], datums: [datum] })),
    );
    expect(row).toMatchObject({
      "optim/kl_sample_train_v1": expect.closeTo(0, 7),
      "optim/kl_sample_train_v2": expect.closeTo(0.02, 7),
      "optim/entropy": expect.closeTo(0.85, 7),
      "optim/logprob_diff_abs_mean": expect.closeTo(0.2, 7),
    });
  });

  it("D-15 metrics hold an evaluation on tasks that are not trained on", async () => {
    expect(original.metricsRow([group], 0)).not.toHaveProperty("eval");
    const evaluation = {
      splits: { [ENVIRONMENT]: ["test"] },
      ...{ at_start: true, at_end: false, every: null },
      ...{ num_samples: 2, rollouts_per_task: 1, temperatures: [0] },
    };
    const run = prepareRun({ steps: 1, config: { evaluation } });
    await run.run();
    expect(run.remote.choices.map(({ split }) => split)).toEqual([
      "test",
      "test",
      "train",
      "train",
    ]);
    expect(run.rows()).toMatchObject([
      { eval: { [ENVIRONMENT]: { test: { greedy: { reward_mean: 0.5, num_failed: 0 } } } } },
    ]);
    expect(run.context.client.lossCalls.map(({ data }) => data.length)).toEqual([2]);
  });
});

it("D-14 a busy sampler is waited for, and no sample is lost", async () => {
  let busy = 2;
  const { connect, clock, http, requestsTo } = fakeTinker((path) =>
    path === "asample" && busy-- > 0 ? { status: 429 } : undefined,
  );
  const service = await connect();
  const sampler = await clock.run(service.samplerForBase("org/model"));
  const request = { prompt: [1, 2], maxTokens: 4, temperature: 1, topK: -1, topP: 1, stop: [] };
  const samples = Array.from({ length: 4 }, () => sampler.sample({ ...request, seed: 7 }));
  const answers = await clock.run(Promise.all(samples));
  expect(answers.map(({ tokens }) => tokens)).toEqual(answers.map(() => [11, 12]));
  expect(requestsTo("asample").length).toBeGreaterThan(4);

  busy = 1;
  const [submit] = requestsTo("asample");
  const plain = Array.from({ length: 4 }, () => async () => {
    const { status } = submit === undefined ? { status: 0 } : await http.send(submit);
    if (status !== 200) throw new Error(`status ${status}`);
  });
  await expect(original.playAllOrNothing(plain)).rejects.toThrow("status 429");
  service.close();
});
