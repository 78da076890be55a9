/** `npm run test:desktop`: runs the suite in the extension host of a desktop VS Code, downloaded or installed. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { downloadAndUnzipVSCode, runTests } from "@vscode/test-electron";
import { copyExample, deleteFolder, newFolder } from "./folders.ts";

const PROGRAM = "VSCODE_PATH";
const VERSION = "VSCODE_VERSION";

async function desktopProgram(): Promise<string> {
  const installed = process.env[PROGRAM];
  if (installed !== undefined) {
    if (existsSync(installed)) return installed;
    throw new Error(`${PROGRAM} names ${installed}, which does not exist.`);
  }
  try {
    return await downloadAndUnzipVSCode(process.env[VERSION] ?? "stable");
  } catch (error) {
    throw new Error(
      `VS Code could not be downloaded. Set ${PROGRAM} to the program of an installed one (such as /usr/share/code/code), ` +
        "or use `npm run test:editor`, which needs no download of VS Code.",
      { cause: error },
    );
  }
}

const folder = newFolder();
copyExample(folder);
try {
  process.exitCode = await runTests({
    vscodeExecutablePath: await desktopProgram(),
    extensionDevelopmentPath: resolve("."),
    extensionTestsPath: resolve("dist/inHost/index.cjs"),
    launchArgs: [folder, "--disable-extensions", "--disable-gpu"],
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  deleteFolder(folder);
}
