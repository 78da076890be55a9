/** Whether what was kept by an earlier page can be used by this one. */

/** Null stands for "not chosen", so either side may be null. */
export function hasShapeOf(model: unknown, value: unknown): boolean {
  if (model === null || value === null) return value !== undefined;
  return typeof model === typeof value && Array.isArray(model) === Array.isArray(value);
}
