/** Which stage of a configuration a run belongs to. */

import type { RunEntry } from "../../api/runs.ts";
import { valueAt } from "../../core/config/rules/issues.ts";
import { readResolvedConfig } from "../../core/runFolder/files/wholeFiles.ts";
import { createFileSystem } from "../../node/fileSystem.ts";
import { stageOf } from "../../shared/runFile.ts";

const fileSystem = createFileSystem();

/** Null for none. For a stage trained on its own, only its resolved configuration says so. */
export async function stageOfRun({
  file,
  folder,
}: Pick<RunEntry, "file" | "folder">): Promise<string | null> {
  const member = stageOf(file?.sweep);
  if (member !== null) return member;
  const resolved = await readResolvedConfig(fileSystem.within(folder), folder);
  const stage = valueAt(resolved, ["stage"]);
  return typeof stage === "string" ? stage : null;
}
