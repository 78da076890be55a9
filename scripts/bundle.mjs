// The one way in which TypeScript entries become Node programs: for the product, for scripts and for benches.

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { transformersTokenizer } from "./esbuildTransformers.mjs";

// Some dependencies are CommonJS and call require() for Node's own modules.
const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/**
 * Bundles `entries` (output name -> source file) into `outdir` as ES modules for Node 20, with `splitting` into parts that they share.
 * Names stay whole and lines short, so that a stack trace from a user can be read.
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

/** Removes the scripts in `outdir` that an earlier build wrote and this one, with the file names `written`, did not. */
export async function removeStaleScripts(outdir, written) {
  const stale = (await readdir(outdir)).filter(
    (name) => /\.c?js(\.map)?$/.test(name) && !written.includes(name),
  );
  await Promise.all(stale.map((name) => rm(join(outdir, name))));
}
