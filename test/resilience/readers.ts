/**
 * Measures how the processor time of every function that parses external text grows for awkward texts: four times the text may
 * take nine times the time, which n log n stays below and n² does not. Run: `npm run resilience:readers`, with `-- WORDS` only the
 * readers whose names contain the words. Fails if a time grows faster.
 */

import { type Growth, tooFastGrowth } from "./readers/growth.ts";
import { answer, shapesFor } from "./readers/reader.ts";
import { READERS } from "./readers/table.ts";

/** Sums numbers, so that no compiler removes the loop. */
function loop(turns: number): () => number {
  return () => {
    let sum = 0;
    for (let turn = 0; turn < turns; turn += 1) sum = (sum + turn) % 1_000_003;
    return sum;
  };
}

function shown({ characters, ms, quarterMs }: Growth): string {
  return `${quarterMs.toFixed(1)} ms for ${characters / 4} characters, ${ms.toFixed(1)} ms for ${characters}`;
}

const square = tooFastGrowth((characters) => loop(characters ** 2 / 20));
console.log(`a square       ${square === null ? "NOT FOUND" : shown(square)}`);
const line = tooFastGrowth((characters) => loop(20 * characters * Math.log2(characters)));
console.log(`n log n        ${line === null ? "is no fault" : `FOUND: ${shown(line)}`}`);

const words = process.argv.slice(2).join(" ");
let texts = 0;
const faults: string[] = [];
for (const reader of READERS.filter(({ name }) => name.includes(words))) {
  for (const { name, text } of shapesFor(reader)) {
    texts += 1;
    const growth = tooFastGrowth((characters) => {
      const work = reader.prepare(text(characters));
      return () => answer(work);
    }, reader.slowFrom);
    if (growth !== null) faults.push(`${reader.name}, ${name}: ${shown(growth)}`);
  }
}
for (const fault of faults) console.log(`too slow       ${fault}`);
console.log(`${texts} texts for ${READERS.length} readers, ${faults.length} too slow`);
process.exitCode = square !== null && line === null && faults.length === 0 ? 0 : 1;
