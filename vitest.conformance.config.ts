// Our side beside the official packages: `npm run test:conformance`.

import { defineConfig } from "vitest/config";
import { ConformanceTable } from "./test/conformance/conformanceTable.ts";
import { PYTHON_CACHE } from "./test/conformance/pythonCache.ts";

export default defineConfig({
  test: {
    include: ["test/conformance/**/*.test.ts", "test/crossChecks/{wandb,rolloutUpload}*.test.ts"],
    globalSetup: ["test/conformance/prepare.ts"],
    reporters: ["default", new ConformanceTable()],
    // Most of it waits: for set-ups of 35 s, for polls.
    maxWorkers: 3,
    // To load the modules and tokenizers anew for each file takes a third of the time.
    isolate: false,
    env: PYTHON_CACHE,
    testTimeout: 90_000,
    hookTimeout: 300_000,
  },
});
