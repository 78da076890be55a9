import { build, type Metafile } from "esbuild";
import { describe, expect, it } from "vitest";

const DOOR = "src/extension.ts";

/** The source files that are loaded when VS Code activates the extension: static imports from the entry. */
function loadedAtOnce({ inputs }: Metafile): readonly string[] {
  const found = new Set([DOOR]);
  for (const file of found) {
    const imports = inputs[file]?.imports.filter(({ kind }) => kind === "import-statement") ?? [];
    for (const { path, external } of imports) if (external !== true) found.add(path);
  }
  return [...found];
}

describe("activation", () => {
  it("loads no package except for texts, and no code that trains, reads runs or checks configurations", async () => {
    const { metafile } = await build({
      entryPoints: [DOOR],
      bundle: true,
      write: false,
      metafile: true,
      splitting: true,
      format: "esm",
      outdir: "dist",
      platform: "node",
      packages: "external",
      external: ["vscode"],
    });
    const loaded = loadedAtOnce(metafile);
    expect(loaded.length).toBeGreaterThan(5);
    expect(
      loaded.filter((file) =>
        /^src\/(core\/(?!errors\.ts|json\.ts|secrets\/redaction\/|util\/)|node|trainer|local)/.test(
          file,
        ),
      ),
    ).toEqual([]);
    const packages = loaded.flatMap((file) =>
      (metafile.inputs[file]?.imports ?? [])
        .filter(
          ({ external, path }) =>
            external === true && !/^(node:|vscode$|@vscode\/l10n$)/.test(path),
        )
        .map(({ path }) => `${file} imports ${path}`),
    );
    expect(packages).toEqual([]);
  });
});
