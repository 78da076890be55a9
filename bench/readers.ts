/**
 * Measures how the time of each reader of text from outside grows: CPU milliseconds at n, 2n and 4n characters for each awkward text.
 * Run: `npm run bench:readers`, with `-- WORDS` only those readers whose names contain the words.
 */

import { timeOf } from "../test/readers/growth.ts";
import { answer, shapesFor } from "../test/readers/reader.ts";
import { READERS } from "../test/readers/readers.ts";

const CHARACTERS = 32_768;
const REPEATS = 3;

const words = process.argv.slice(2).join(" ");

for (const reader of READERS.filter(({ name }) => name.includes(words))) {
  const from = reader.slowFrom ?? CHARACTERS;
  console.log(`\n${reader.name}: ms at ${from}, ${2 * from} and ${4 * from} characters`);
  for (const { name, text } of shapesFor(reader)) {
    const times = [from, 2 * from, 4 * from].map((characters) => {
      const work = reader.prepare(text(characters));
      return Math.min(...Array.from({ length: REPEATS }, () => timeOf(() => answer(work))));
    });
    const shown = times.map((ms) => ms.toFixed(2).padStart(9));
    console.log(`${shown.join(" ")}  ${name}`);
  }
}
