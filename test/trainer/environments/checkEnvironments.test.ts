import { expect, it } from "vitest";
import { checkEnvironments } from "../../../src/trainer/environments/checkEnvironments.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";

it("a check without environments or a configuration says what it needs", async () => {
  const checking = checkEnvironments(createMemoryFileSystem(), {
    names: [],
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
  await expect(checking).rejects.toMatchObject({
    code: "bad-arguments",
    message: expect.stringContaining("needs the name of an environment"),
  });
});
