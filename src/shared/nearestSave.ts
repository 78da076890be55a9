/** Where a run can branch: at the newest save before a step. */

interface Save {
  /** Completed steps. */
  readonly step: number;
  readonly kind: string;
}

/** The newest save at or before `completed` steps; null if there is none. Skips rolling saves, which are about to be deleted. */
export function nearestSave<Own extends Save>(
  saves: readonly Own[],
  completed: number,
): Own | null {
  return saves.reduce<Own | null>((nearest, save) => {
    if (save.kind === "rolling" || save.step > completed) return nearest;
    return nearest === null || save.step >= nearest.step ? save : nearest;
  }, null);
}
