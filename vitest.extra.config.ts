// Checks that need more than Node: `npm run test:extra`.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/extra/**/*.test.ts"],
    // They share one virtual environment, which the first to run makes.
    fileParallelism: false,
    // The first run makes a virtual environment at import time and compiles in Python.
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
});
