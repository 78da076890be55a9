// The one way in which TypeScript entries become Node programs: for the product, for scripts and for benches.

import { build } from "esbuild";
import { transformersTokenizer } from "./esbuildTransformers.mjs";

// Some dependencies are CommonJS and call require() for Node's own modules.
const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** Bundles `entries` (output name -> source file) into `outdir` as ES modules for Node 20. */
export async function bundle(entries, outdir, { minify = false, external = [], alias = {} } = {}) {
  return await build({
    entryPoints: entries,
    outdir,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external,
    alias,
    minify,
    sourcemap: true,
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
    banner: { js: REQUIRE },
    plugins: [transformersTokenizer],
  });
}
