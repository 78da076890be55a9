import { defineConfig } from "vitest/config";

/** The dashboard's page in a browser. */
export default defineConfig({
  test: {
    include: ["test/dashboard/**/*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
