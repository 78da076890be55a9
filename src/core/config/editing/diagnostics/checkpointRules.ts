/** Findings about the checkpoint that a run starts from. */

import type { Config } from "../../fields/schema.ts";
import { STATE_PATH } from "../../rules/rules.ts";
import { advice, conflict, type Finding } from "../../source/finding.ts";
import { setTo } from "../../source/remedy.ts";
import {
  allCheckpoints,
  type Catalogue,
  type CatalogueCheckpoint,
  isUsable,
  usableCheckpoints,
} from "../catalogue/catalogue.ts";

const MAX_CHOICES = 3;
const SOON_MS = 24 * 3600 * 1000;

export function checkpointFindings(config: Config, catalogue: Catalogue): readonly Finding[] {
  return (["resume_from", "init_from"] as const).flatMap((key) => {
    const path = config[key];
    return path !== null && STATE_PATH.test(path)
      ? findingsAbout(config, key, path, catalogue)
      : [];
  });
}

function findingsAbout(
  config: Config,
  key: "resume_from" | "init_from",
  path: string,
  catalogue: Catalogue,
): readonly Finding[] {
  const remedies = choices(config, key, usableCheckpoints(catalogue));
  const checkpoint = allCheckpoints(catalogue).find((entry) => entry.path === path);
  if (checkpoint === undefined) {
    if (!isListComplete(catalogue)) return [];
    const message =
      "This path is in no list of checkpoints. It may belong to another account, or no longer exist.";
    return [advice("TRL303", [key], message, { remedies })];
  }
  const fault = faultOf(config, checkpoint);
  if (fault !== null) return [conflict("TRL303", [key], fault, { remedies })];
  const { expiresInMs } = checkpoint;
  if (expiresInMs === null || expiresInMs > SOON_MS) return [];
  return [advice("TRL303", [key], "This checkpoint expires within a day.")];
}

function isListComplete({ local, hosted }: Catalogue): boolean {
  return local.checkpoints?.isComplete === true && hosted.checkpoints?.isComplete === true;
}

function faultOf(config: Config, checkpoint: CatalogueCheckpoint): string | null {
  const { model, rank } = checkpoint;
  if (!isUsable(checkpoint)) {
    return "This checkpoint no longer exists: it expired, was deleted, or a newer one replaced it. Choose another one.";
  }
  if (model !== null && model !== config.model_name) {
    return `This checkpoint is for \`${model}\`, not \`${config.model_name}\`. Choose another one or change \`model_name\`.`;
  }
  if (rank !== null && rank !== config.lora_rank) {
    return `This checkpoint has rank ${rank}, not ${config.lora_rank}. Choose another one or change \`lora_rank\`.`;
  }
  return null;
}

function choices(
  config: Config,
  key: "resume_from" | "init_from",
  usable: readonly CatalogueCheckpoint[],
) {
  const fitting = usable.filter((entry) => faultOf(config, entry) === null).slice(0, MAX_CHOICES);
  const labels = distinctLabels(fitting);
  return fitting.map(({ path }) => setTo([key], path, `Change to ${labels.get(path)}`));
}

/** Labels by path; duplicates get the path appended. */
export function distinctLabels(
  checkpoints: readonly CatalogueCheckpoint[],
): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const entry of checkpoints) {
    const label = checkpointLabel(entry);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return new Map(
    checkpoints.map((entry) => {
      const label = checkpointLabel(entry);
      const path = entry.path.replace(/^tinker:\/\//, "");
      return [entry.path, (counts.get(label) ?? 0) > 1 ? `${label} · ${path}` : label] as const;
    }),
  );
}

/** `run · step 50`, or the path when the run is unknown. */
export function checkpointLabel({ run, step, path }: CatalogueCheckpoint): string {
  if (run === null) return path;
  return step === null ? run : `${run} · step ${step + 1}`;
}
