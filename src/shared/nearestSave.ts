/** Where a run can branch off: the save before a step. */

interface Save {
  /** Completed steps. */
  readonly step: number;
  readonly kind: string;
}

/** The newest save of at most so many completed steps; null without one. Rolling saves are about to be deleted. */
export function nearestSave<Own extends Save>(
  saves: readonly Own[],
  completed: number,
): Own | null {
  return saves.reduce<Own | null>((nearest, save) => {
    if (save.kind === "rolling" || save.step > completed) return nearest;
    return nearest === null || save.step >= nearest.step ? save : nearest;
  }, null);
}
