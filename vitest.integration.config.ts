// Whole runs of the built program, most of which wait: `npm run test:integration`.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/integration/**/*.test.ts"],
    setupFiles: ["test/manyListeners.ts", "test/integration/setup.ts"],
    maxWorkers: 3,
    // They change nothing outside of their folders, and to load the modules takes as long as many of the tests.
    isolate: false,
    testTimeout: 360_000,
    hookTimeout: 180_000,
  },
});
