/** Programs of this repository as one file each, as its build makes them. */

import { build } from "esbuild";

/** Builds what begins with the file `entry`, or with the text `code` as a file of this repository. */
export async function buildProgram(
  source: { readonly entry: string } | { readonly code: string },
  outfile: string,
): Promise<void> {
  // A name held in a variable: the plugin is plain JavaScript without types.
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
