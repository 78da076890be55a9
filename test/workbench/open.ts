/** `npm run workbench`: the packaged extension in a real workbench, for use in a browser. With `--restricted`, no folder is trusted. */

import { parseArgs } from "node:util";
import { copyExample, deleteFolder, newFolder } from "../editor/folders.ts";
import { packagedExtension } from "./packagedExtension.ts";
import { startServer } from "./server.ts";

const { values } = parseArgs({
  options: { restricted: { type: "boolean" }, oldest: { type: "boolean" } },
});
const folder = newFolder();
copyExample(folder);
process.once("exit", () => deleteFolder(folder));
const { authority } = await startServer({
  vsix: packagedExtension(),
  edition: values.oldest === true ? "oldest" : "newest",
  trust: values.restricted !== true,
  idleSeconds: 24 * 3600,
});
const address = `http://${authority}/?${new URLSearchParams({ folder })}`;
console.log(`A copy of examples/local is open at\n\n  ${address}\n`);
console.log("Ctrl+C ends the server and deletes the copy.");
