// Records which packages went into which bundle, for the third-party notices.

import { mkdir, writeFile } from "node:fs/promises";

/** Writes dist/packages/<name>.json: the folders of packages whose files are in esbuild's `metafile`. */
export async function rememberPackages(name, metafile) {
  const folders = Object.keys(metafile.inputs).flatMap(
    (file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? [],
  );
  await mkdir("dist/packages", { recursive: true });
  await writeFile(`dist/packages/${name}.json`, JSON.stringify([...new Set(folders)].sort()));
}
