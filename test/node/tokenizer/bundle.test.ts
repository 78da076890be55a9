import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { folderOfThisTest } from "../../fakes/onDisk.ts";

const ROOT = join(import.meta.dirname, "../../..");
const ENTRY = `
  import { loadModelTokenizer } from "./src/node/tokenizer/modelTokenizer.ts";
  loadModelTokenizer(process.argv[2]).then(({ tokenizer }) => process.stdout.write(tokenizer.encodeText("Hi").join()));
`;

it("a bundled tokenizer runs in a folder without any packages", async () => {
  // A name held in a variable: the plugin is plain JavaScript without types.
  const plugin: string = "../../../scripts/esbuildTransformers.mjs";
  const { transformersTokenizer } = await import(plugin);
  const folder = folderOfThisTest();
  const outfile = join(folder, "entry.mjs");
  await build({
    stdin: { contents: ENTRY, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    outfile,
    plugins: [transformersTokenizer],
    logLevel: "error",
  });
  const fixture = join(ROOT, "test/fixtures/tiny-bytes");
  const { stdout } = await promisify(execFile)(process.execPath, [outfile, fixture], {
    cwd: folder,
  });
  expect(stdout).toBe("72,105");
});
