/** What is chosen once one thing more is, or no longer. */

export function flipped<Item>(items: readonly Item[], item: Item): readonly Item[] {
  return items.includes(item) ? items.filter((other) => other !== item) : [...items, item];
}
