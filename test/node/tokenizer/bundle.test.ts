import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { buildProgram } from "../../fakes/builtProgram.ts";
import { folderOfThisTest } from "../../fakes/onDisk.ts";

const ROOT = join(import.meta.dirname, "../../..");
const ENTRY = `
  import { loadModelTokenizer } from "./src/node/tokenizer/modelTokenizer.ts";
  loadModelTokenizer(process.argv[2]).then(({ tokenizer }) => process.stdout.write(tokenizer.encodeText("Hi").join()));
`;

it("a bundled tokenizer runs in a folder without any packages", async () => {
  const folder = folderOfThisTest();
  const outfile = join(folder, "entry.mjs");
  await buildProgram({ code: ENTRY }, outfile);
  const fixture = join(ROOT, "test/fixtures/tiny-bytes");
  const { stdout } = await promisify(execFile)(process.execPath, [outfile, fixture], {
    cwd: folder,
  });
  expect(stdout).toBe("72,105");
});
