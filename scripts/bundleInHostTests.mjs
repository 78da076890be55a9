// Bundles the suite that runs in the editor's extension host into dist/inHost, one file per test.

import { readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const SOURCE = "test/editor/inHost";
const OUT = "dist/inHost";

// Removes renamed tests, which would otherwise keep running.
rmSync(OUT, { recursive: true, force: true });
await build({
  entryPoints: readdirSync(SOURCE).map((file) => `${SOURCE}/${file}`),
  outdir: OUT,
  outExtension: { ".js": ".cjs" },
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node20",
  external: ["vscode", "mocha"],
  sourcemap: "inline",
  logLevel: "warning",
});
