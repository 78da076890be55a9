/** Finds the images that a stored text names. */

const NAME = /\[image ([1-9]\d{0,3})\]/g;

/** Numbers from 1 to `count` of the images that are in the text as `[image 1]`, each once, in their order. */
export function imagesNamedIn(text: string, count: number): readonly number[] {
  const numbers = Array.from(text.matchAll(NAME), ([, digits]) => Number(digits));
  return [...new Set(numbers)].filter((number) => number <= count);
}
