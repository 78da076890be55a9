/** Which of several evaluations is about what is trained. */

/** Of the temperatures of evaluations that of training, or the nearest below it, else the lowest. */
export function nearestTemperature(evaluated: readonly number[], trained: number): number {
  const rising = evaluated.toSorted((a, b) => a - b);
  return rising.findLast((each) => each <= trained) ?? rising[0] ?? trained;
}
