import { describe, expect, it } from "vitest";
import { tooFastGrowth } from "./growth.ts";
import { answer, shapesFor } from "./reader.ts";
import { READERS } from "./readers.ts";

describe("time to read a text from outside grows with its length, or n log n:", () => {
  it.each(READERS)("$name", (reader) => {
    for (const { name, text } of shapesFor(reader)) {
      const growth = tooFastGrowth((characters) => {
        const work = reader.prepare(text(characters));
        return () => answer(work);
      }, reader.slowFrom);
      expect(growth, name).toBeNull();
    }
  });
});
