import { expect, it } from "vitest";
import { checkEnvironments } from "../../../src/trainer/environments/checkEnvironments.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";

const checking = (...names: readonly string[]) =>
  checkEnvironments(createMemoryFileSystem(), {
    names,
    configPath: null,
    url: null,
    overrides: [],
    split: null,
    tasks: 1,
    seed: 0,
    allowedOrigins: [],
    folder: "/empty",
    onCheck: () => undefined,
    onReport: () => undefined,
    signal: new AbortController().signal,
  });

it("a check without environments or a configuration says what it needs", async () => {
  await expect(checking()).rejects.toMatchObject({
    code: "bad-arguments",
    message: expect.stringContaining("needs the name of an environment"),
  });
});

it("an unknown name is rejected without a position in a file that nobody wrote", async () => {
  await expect(checking("local/calculatr")).rejects.toThrow(
    /^command line: error: TRL300 .* Did you mean `local\/calculator`\?/,
  );
});
