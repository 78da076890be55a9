/** Bundles programs of this repository into one file each, like its build. */

import { build } from "esbuild";

/** Bundles the program with the entry file `entry`, or with the text `code` as if it were a file of this repository. */
export async function buildProgram(
  source: { readonly entry: string } | { readonly code: string },
  outfile: string,
): Promise<void> {
  // The path is in a variable because the plugin is plain JavaScript without types.
  const plugin: string = "../../scripts/esbuildTransformers.mjs";
  const { transformersTokenizer } = await import(plugin);
  await build({
    ...("entry" in source
      ? { entryPoints: [source.entry] }
      : { stdin: { contents: source.code, resolveDir: process.cwd(), loader: "ts" } }),
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    outfile,
    plugins: [transformersTokenizer],
    logLevel: "error",
  });
}
