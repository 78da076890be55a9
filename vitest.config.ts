import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/crossChecks/**", "test/conformance/**", "test/editor/**", "test/dashboard/**"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
