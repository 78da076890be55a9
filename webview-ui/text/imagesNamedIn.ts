/** Finds the images that a stored text refers to. */

const NAME = /\[image ([1-9]\d{0,3})\]/g;

/** Numbers from 1 to `count` of the images that the text refers to as `[image 1]`, distinct, in order of appearance. */
export function imagesNamedIn(text: string, count: number): readonly number[] {
  const numbers = Array.from(text.matchAll(NAME), ([, digits]) => Number(digits));
  return [...new Set(numbers)].filter((number) => number <= count);
}
