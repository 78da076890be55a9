import { expect, it } from "vitest";
import { CancellationTokenSource } from "vscode-languageserver";
import { PROMPT_REQUESTS, type PromptRequest } from "../../src/api/prompts.ts";
import { AppError } from "../../src/core/errors.ts";
import type { PromptDescription } from "../../src/shared/promptDescription.ts";
import type { PreviewRequest } from "../../src/trainer/environments/previewPrompt.ts";
import { anOrder } from "../fakes/anOrder.ts";
import { anEditor } from "./anEditor.ts";

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
