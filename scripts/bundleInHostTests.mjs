// Bundles the suite that runs inside the editor's extension host, a file for each test, into dist/inHost.

import { readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const SOURCE = "test/editor/inHost";
const OUT = "dist/inHost";

// A test that was renamed must not run on.
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
