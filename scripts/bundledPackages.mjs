// Which packages went into which bundle, for the notices that are packed with them.

import { mkdir, writeFile } from "node:fs/promises";

/** Writes dist/packages/<name>.json: the folders of the packages that esbuild's `metafile` took files from. */
export async function rememberPackages(name, metafile) {
  const folders = Object.keys(metafile.inputs).flatMap(
    (file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? [],
  );
  await mkdir("dist/packages", { recursive: true });
  await writeFile(`dist/packages/${name}.json`, JSON.stringify([...new Set(folders)].sort()));
}
