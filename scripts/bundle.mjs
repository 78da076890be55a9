// The one place where TypeScript entries become Node programs: for the product, scripts, and benchmarks.

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { transformersTokenizer } from "./esbuildTransformers.mjs";

// Some dependencies are CommonJS and call require() for Node's own modules.
const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/**
 * Bundles `entries` (output name -> source file) into `outdir` as ES modules for Node 20, with shared chunks if `splitting`. Names are
 * kept and lines stay short, so that users' stack traces are readable.
 */
export async function bundle(
  entries,
  outdir,
  { splitting = false, external = [], alias = {} } = {},
) {
  return await build({
    entryPoints: entries,
    outdir,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external,
    alias,
    splitting,
    chunkNames: "part-[hash]",
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 160,
    sourcemap: true,
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
    banner: { js: REQUIRE },
    plugins: [transformersTokenizer],
  });
}

/** Removes scripts in `outdir` from an earlier build that are not in `written`, this build's file names. */
export async function removeStaleScripts(outdir, written) {
  const stale = (await readdir(outdir)).filter(
    (name) => /\.c?js(\.map)?$/.test(name) && !written.includes(name),
  );
  await Promise.all(stale.map((name) => rm(join(outdir, name))));
}
