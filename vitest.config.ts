// `npm test`: everything that needs nothing but Node, but for the integration tests.

import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** What replaces modules, time, or the environment of its process. */
const REPLACES = /\bvi\.(mock|doMock|hoisted|stub|useFakeTimers)|process\.(env|chdir|umask)/;

const exclude = ["test/{integration,crossChecks,conformance,editor,dashboard}/**"];
/** Such files have a process of their own. All others share processes and the modules that are loaded there: that halves the time. */
const apart = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => `test/${file}`)
  .filter((file) => REPLACES.test(readFileSync(file, "utf8")));

export default defineConfig({
  test: {
    maxWorkers: "100%",
    testTimeout: 180_000,
    hookTimeout: 180_000,
    setupFiles: "test/manyListeners.ts",
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: [...exclude, ...apart],
          isolate: false,
        },
      },
      { extends: true, test: { name: "isolated", include: apart, exclude } },
    ],
  },
});
