/** Refuses exported types of one name with different meanings: a reader who meets the name would have to look which one it is. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { sharedTypeNames } from "./typeNames.ts";

/** Without what is generated from the messages of a wire, which names them. */
const CHECKED = /^(?:src|webview-ui)\/.*(?<!_pb)\.tsx?$/;

const files = execFileSync("git", ["ls-files"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => CHECKED.test(path) && existsSync(path))
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));
for (const { name, paths } of sharedTypeNames(files)) {
  console.error(`${paths.join(" and ")} export different types as ${name}. Rename one of them.`);
  process.exitCode = 1;
}
