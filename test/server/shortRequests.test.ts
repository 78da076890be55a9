import { describe, expect, it } from "vitest";
import { CancellationTokenSource } from "vscode-languageserver";
import { ESTIMATE_REQUESTS } from "../../src/api/estimate.ts";
import { KEY_REQUESTS, type KeyTestRequest } from "../../src/api/keys.ts";
import { PROMPT_REQUESTS, type PromptRequest } from "../../src/api/prompts.ts";
import { REPORT_REQUESTS, type ReportRequest } from "../../src/api/reports.ts";
import { AppError } from "../../src/core/errors.ts";
import { appendMetrics, buildMetricsRow } from "../../src/core/runFolder/metrics/metrics.ts";
import type { PromptDescription } from "../../src/shared/promptDescription.ts";
import type { PreviewRequest } from "../../src/trainer/environments/previewPrompt.ts";
import { rolloutFacts, stepFacts } from "../core/runFolder/builders.ts";
import { anOrder } from "../fakes/anOrder.ts";
import { filesOnDisk, folderOfAllTests } from "../fakes/onDisk.ts";
import { anEditor } from "./anEditor.ts";

describe("a prompt", () => {
  const REQUEST: PromptRequest = {
    launch: anOrder({
      training: { configPath: "/a.yaml", resume: null, overrides: ["seed=1"], digest: "d" },
      keys: { TINKER_API_KEY: { value: "tml-secret", origin: "store", host: null } },
    }),
    environment: "local/calculator",
    split: "train",
    task: 3,
  };
  const DESCRIPTION: PromptDescription = {
    model: "local/tiny-tool",
    format: "qwen3",
    environment: "local/calculator",
    split: "train",
    index: 3,
    tools: ["calc"],
    prompt: [],
    maxTotalTokens: 10,
    stops: [],
    example: null,
    exampleProblem: null,
    warnings: [],
  };
  const { preview } = PROMPT_REQUESTS;

  it("describes the task's prompt, with the supplied keys and no others", async () => {
    const seen: PreviewRequest[] = [];
    const { ask, received } = anEditor({
      previewPrompt: async (_, request) => {
        seen.push(request);
        return DESCRIPTION;
      },
    });
    expect(await ask(preview, REQUEST)).toEqual({ ok: true, value: DESCRIPTION });
    expect(seen).toMatchObject([
      {
        configPath: "/a.yaml",
        overrides: ["seed=1"],
        environment: "local/calculator",
        split: "train",
        task: 3,
        allowedOrigins: [],
        launchRequest: REQUEST.launch,
      },
    ]);
    expect(received()).not.toContain("tml-secret");
  });

  it("names the missing key, and the place of a configuration error", async () => {
    const { ask } = anEditor({
      previewPrompt: async () => {
        throw new AppError("key-missing", "No key.", {
          data: { name: "TINKER_API_KEY" },
          configPath: "environments.a",
        });
      },
    });
    expect(await ask(preview, REQUEST)).toEqual({
      ok: false,
      error: {
        code: "key-missing",
        message: "No key.",
        name: "TINKER_API_KEY",
        keys: ["environments", "a"],
      },
    });
  });

  it("ends when the editor cancels it", async () => {
    const canceling = new CancellationTokenSource();
    const { ask } = anEditor({
      previewPrompt: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason));
          canceling.cancel();
        }),
    });
    expect(await ask(preview, REQUEST, canceling.token)).toMatchObject({
      error: { code: "stopped" },
    });
  });
});

describe("a report", () => {
  const files = filesOnDisk();
  const folder = folderOfAllTests();

  it("writes the report of a run under the name shown in the editor", async () => {
    const rollouts = [rolloutFacts({ reward: 0.25 })];
    await appendMetrics(files.within(folder), folder, buildMetricsRow(stepFacts({ rollouts })));
    const { ask } = anEditor({});
    const request = (format: ReportRequest["format"]): ReportRequest => {
      return { runs: [{ folder, name: "renamed" }], format };
    };
    expect(await ask(REPORT_REQUESTS.write, request("html"))).toEqual({
      ok: true,
      value: expect.stringMatching(/^<!DOCTYPE html>.*<h1>renamed<\/h1>/s),
    });
    expect(await ask(REPORT_REQUESTS.write, request("markdown"))).toEqual({
      ok: true,
      value: expect.stringMatching(/^## renamed/),
    });
  });
});

describe("the test of a key", () => {
  const REQUEST: KeyTestRequest = {
    service: "tinker",
    value: "tml-secret",
    host: "models.example.org",
    variables: { TINKER_BASE_URL: "https://models.example.org" },
  };

  it("tests the key that an editor sends, and never returns it", async () => {
    const seen: unknown[] = [];
    const editor = anEditor({
      testKey: async (request) => {
        seen.push(request);
        return { kind: "works", host: "models.example.org" };
      },
    });
    expect(await editor.ask(KEY_REQUESTS.test, REQUEST)).toEqual({
      ok: true,
      value: { kind: "works", host: "models.example.org" },
    });
    expect(seen).toEqual([REQUEST]);
    expect(editor.received()).not.toContain("tml-secret");
  });

  it("returns a failed test without the key", async () => {
    const { ask } = anEditor({
      testKey: async () => {
        throw new Error("It ended with tml-secret.");
      },
    });
    expect(await ask(KEY_REQUESTS.test, REQUEST)).toMatchObject({
      ok: false,
      error: { message: "It ended with ***." },
    });
  });

  it("rejects an incomplete request without quoting it", async () => {
    const editor = anEditor();
    const { host: _, ...rest } = REQUEST;
    await expect(editor.ask(KEY_REQUESTS.test, rest)).rejects.toThrow("host");
    expect(editor.received()).not.toContain("tml-secret");
  });
});

describe("the basis of an estimate", () => {
  const REQUEST = {
    configPath: "/projects/tinker-config.yaml",
    overrides: ["batch_size=8"],
    grid: ["seed=1,2"],
  };

  it("returns the possible bases of an estimate, as in a terminal", async () => {
    const seen: unknown[] = [];
    const basis = { pastRun: null, model: "Qwen/Qwen3-8B", isBilled: true };
    const { ask } = anEditor({
      estimateBasis: async (_, request) => {
        seen.push(request);
        return basis;
      },
    });
    expect(await ask(ESTIMATE_REQUESTS.basis, REQUEST)).toEqual({ ok: true, value: basis });
    expect(seen).toEqual([REQUEST]);
  });

  it("returns the errors of a configuration", async () => {
    const { ask } = anEditor({
      estimateBasis: async () => {
        throw new AppError("config-invalid", "batch_size is missing.");
      },
    });
    expect(await ask(ESTIMATE_REQUESTS.basis, REQUEST)).toMatchObject({
      ok: false,
      error: { code: "config-invalid", message: "batch_size is missing." },
    });
  });
});
