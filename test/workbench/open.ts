/** `npm run workbench`: the packaged extension in a real workbench, for a person with a browser. `--restricted` trusts no folder. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { copyExample } from "../editor/folders.ts";
import { workbenchUrl } from "./browser.ts";
import { packagedExtension } from "./packagedExtension.ts";
import { startServer } from "./server.ts";

const { values } = parseArgs({
  options: { restricted: { type: "boolean" }, oldest: { type: "boolean" } },
});
const folder = mkdtempSync(join(tmpdir(), "workbench-folder-"));
copyExample(folder);
process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
const { authority } = await startServer({
  vsix: [packagedExtension()],
  edition: values.oldest === true ? "oldest" : "newest",
  trust: values.restricted !== true,
  idleSeconds: 24 * 3600,
});
console.log(`A copy of examples/local is open at\n\n  ${workbenchUrl(authority, folder)}\n`);
console.log("Ctrl+C ends the server and deletes the copy.");
