/** The configuration that a trainer will be started with, as far as keys and leaves depend on it. */

import { readFile } from "node:fs/promises";
import * as z from "zod";
import { runPaths } from "../../core/run/layout.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import type { LaunchConfig } from "../keys/launchKeys.ts";
import type { TrainingWish } from "./trainings.ts";

const overrideTexts = z.array(z.string());

/** A resume has all overrides that the run was given so far, and the run's own copy of a file that is gone. */
export async function launchConfig({
  configPath: path,
  overrides,
  resume,
}: Pick<TrainingWish, "configPath" | "overrides" | "resume">): Promise<LaunchConfig> {
  const written = await readText(path);
  if (resume === null) return { path, text: written ?? "", overrides };
  const { overrides: storedPath, resolvedConfig } = runPaths(resume);
  const stored = overrideTexts.safeParse(parseJson((await readText(storedPath)) ?? "")?.value);
  return {
    path,
    text: written ?? (await readText(resolvedConfig)) ?? "",
    overrides: [...(stored.data ?? []), ...overrides],
  };
}

async function readText(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(() => null);
}
