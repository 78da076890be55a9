import { expect, it } from "vitest";
import { ESTIMATE_REQUESTS } from "../../src/api/estimate.ts";
import { AppError } from "../../src/core/errors.ts";
import { anEditor } from "./anEditor.ts";

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
