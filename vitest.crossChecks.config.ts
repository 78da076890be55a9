// The engine beside JAX, and tokenizers beside recorded ones: `npm run test:crossChecks`.

import { defineConfig } from "vitest/config";
import { PYTHON_CACHE } from "./test/conformance/pythonCache.ts";

export default defineConfig({
  test: {
    include: ["test/crossChecks/**/*.test.ts"],
    exclude: ["test/crossChecks/{wandb,rolloutUpload}*.test.ts"],
    isolate: false,
    env: PYTHON_CACHE,
    // The first run makes a virtual environment at import time and compiles in Python.
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
});
