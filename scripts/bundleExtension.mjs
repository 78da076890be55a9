// Bundles the extension: CommonJS, as the editor loads it, in parts that are loaded when first needed.

import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { build, transform } from "esbuild";
import { removeStaleScripts } from "./bundle.mjs";
import { transformersTokenizer } from "./esbuildTransformers.mjs";

/**
 * Bundles `entries` (output name -> source file) into `outdir` as `.cjs` files that share their parts. What a source file takes in
 * with `import()` becomes a file of its own. esbuild splits ES modules only: it splits those, and each part is then turned into
 * CommonJS by itself.
 */
export async function bundleExtension(entries, outdir, { external = [] } = {}) {
  const result = await build({
    entryPoints: entries,
    outdir,
    outExtension: { ".js": ".cjs" },
    chunkNames: "part-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["vscode", ...external],
    sourcemap: "inline",
    sourcesContent: false,
    metafile: true,
    write: false,
    legalComments: "none",
    logLevel: "warning",
    plugins: [transformersTokenizer],
  });
  await mkdir(outdir, { recursive: true });
  const written = await Promise.all(result.outputFiles.map(writePart));
  await removeStaleScripts(outdir, written.flat());
  return result;
}

/** Names stay whole, so that a stack trace from a user can be read. */
async function writePart({ path, text }) {
  const name = basename(path);
  const { code, map } = await transform(text, {
    format: "cjs",
    platform: "node",
    target: "node20",
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: "external",
    sourcesContent: false,
    sourcefile: name,
    // A true import() would go past the loader through which the editor hands out `vscode`.
    supported: { "dynamic-import": false },
  });
  await writeFile(path, `${code}//# sourceMappingURL=${name}.map\n`);
  await writeFile(join(dirname(path), `${name}.map`), map);
  return [name, `${name}.map`];
}
