/** Which of several evaluations matches the training temperature. */

/** The evaluated temperature that equals the training temperature, or else the next one below it, or else the lowest. */
export function nearestTemperature(evaluated: readonly number[], trained: number): number {
  const rising = evaluated.toSorted((a, b) => a - b);
  return rising.findLast((each) => each <= trained) ?? rising[0] ?? trained;
}
