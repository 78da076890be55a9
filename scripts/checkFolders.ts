/** Refuses imports against the order of folders. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { folderFaults } from "./folderOrder.ts";

const files = execFileSync("git", ["ls-files", "src", "webview-ui"], { encoding: "utf8" });
for (const path of files.split("\n")) {
  if (!/\.tsx?$/.test(path) || !existsSync(path)) continue;
  for (const problem of folderFaults(path, readFileSync(path, "utf8"))) {
    console.error(`${path} ${problem}`);
    process.exitCode = 1;
  }
}
