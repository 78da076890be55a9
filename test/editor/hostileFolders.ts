/** A workspace with a run folder or configuration for each kind of hostile change. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { plantHome } from "../resilience/hostile/home.ts";
import { CONFIG_ATTACKS, writeConfigCase } from "../resilience/hostile/otherCases.ts";
import { type Attack, RUN_ATTACKS, writeRunCase } from "../resilience/hostile/runCases.ts";
import { seeded } from "../resilience/hostile/seeded.ts";
import { soundConfig, trainSound } from "../resilience/hostile/soundRun.ts";

export interface HostileCase extends Attack {
  readonly of: "run" | "config";
  readonly folder: string;
}

/** Passed to the suite in the extension host as JSON. */
export interface HostileFolders {
  /** Outside the workspace; the changed files point there. */
  readonly home: string;
  /** An unchanged run folder. */
  readonly sound: string;
  readonly cases: readonly HostileCase[];
}

/** For each kind, the seed whose case took the most time and memory among those tried. */
const SEEDS: Readonly<Record<string, number>> = {
  "run: link": 6,
  "run: pipe": 6,
  "run: control": 6,
  "run: configuration": 6,
  "config: id": 1,
  "config: aliases": 1,
  "config: merges": 4,
  "config: long lines": 8,
};
const OTHER_SEED = 7;

/** Fills the workspace, and the folder next to it that must stay untouched. Returns the path of {@link HostileFolders}. */
export function writeHostileFolders(workspace: string): string {
  const home = join(dirname(workspace), "home");
  mkdirSync(home);
  plantHome(home);
  const sound = trainSound(workspace, 1, process.env);
  const runs = RUN_ATTACKS.map((kind, index): HostileCase => {
    const folder = join(dirname(sound), `case-${index}`);
    const choose = seeded(SEEDS[`run: ${kind}`] ?? OTHER_SEED);
    return { of: "run", folder, ...writeRunCase(folder, kind, choose, { sound, home }) };
  });
  const configs = CONFIG_ATTACKS.map((kind, index): HostileCase => {
    const folder = join(workspace, "configs", `case-${index}`);
    const choose = seeded(SEEDS[`config: ${kind}`] ?? OTHER_SEED);
    const target = { home, sound: soundConfig(1), hosts: "http://127.0.0.1:9" };
    return { of: "config", folder, ...writeConfigCase(folder, kind, choose, target) };
  });
  const plan: HostileFolders = { home, sound, cases: [...runs, ...configs] };
  const path = join(dirname(workspace), "hostile.json");
  writeFileSync(path, JSON.stringify(plan));
  return path;
}
