/** Writes the search index of each completed step and evaluation next to its rollouts. */

import { textPaths, writeTextIndex } from "../../core/search/textIndex.ts";
import type { RunStorage } from "../../core/training/run/context.ts";
import type { ProgressEvent, Watcher } from "../../core/training/run/progress.ts";
import type { RolloutSet } from "../../shared/rolloutSet.ts";
import type { CleanupStack } from "../services/cleanupStack.ts";

/** A watcher that builds the indexes sequentially without blocking; cleanup waits for the last one. */
export function indexTexts(
  { fileSystem, folder }: Pick<RunStorage, "fileSystem" | "folder">,
  cleanup: CleanupStack,
): Watcher {
  let last = Promise.resolve();
  cleanup.add(() => last);
  return (event) => {
    const set = completedSet(event);
    if (set === null) return;
    last = last
      .then(() => writeTextIndex(fileSystem, textPaths(folder, set)))
      .then(
        () => undefined,
        // A search builds missing indexes.
        () => undefined,
      );
  };
}

function completedSet(event: ProgressEvent): RolloutSet | null {
  if (event.kind === "step-finished") return { source: "training", step: event.step };
  return event.kind === "evaluated" ? { source: "evaluation", step: event.step } : null;
}
