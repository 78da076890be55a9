// `npm test`: everything that needs nothing but Node, but for the integration tests.

import { defineConfig } from "vitest/config";

/** Tests that change nothing outside of their file, so that files can share modules: that halves their time. */
const SHARED = ["test/{core,shared,cli,local,node}/**/*.test.ts"];

export default defineConfig({
  test: {
    maxWorkers: "100%",
    testTimeout: 180_000,
    hookTimeout: 180_000,
    projects: [
      { extends: true, test: { name: "shared", include: SHARED, isolate: false } },
      {
        extends: true,
        test: {
          name: "isolated",
          include: ["test/**/*.test.ts"],
          exclude: [...SHARED, "test/{integration,crossChecks,conformance,editor,dashboard}/**"],
        },
      },
    ],
  },
});
