// Bundles the extension as CommonJS, which the editor requires, in chunks that load on first use.

import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { build, transform } from "esbuild";
import { removeStaleScripts } from "./bundle.mjs";
import { transformersTokenizer } from "./esbuildTransformers.mjs";

/**
 * Bundles `entries` (output name -> source file) into `outdir` as `.cjs` files with shared chunks. Each `import()` in a source file
 * becomes a separate file. esbuild can only split ES modules, so each chunk is converted to CommonJS afterwards.
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

/** Names are kept, so that users' stack traces are readable. */
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
    // A real import() would bypass the loader with which the editor provides `vscode`.
    supported: { "dynamic-import": false },
  });
  await writeFile(path, `${code}//# sourceMappingURL=${name}.map\n`);
  await writeFile(join(dirname(path), `${name}.map`), map);
  return [name, `${name}.map`];
}
