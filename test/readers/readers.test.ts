import { describe, expect, it } from "vitest";
import { chatReaders } from "./chatReaders.ts";
import { tooFastGrowth } from "./growth.ts";
import { jsonReaders } from "./jsonReaders.ts";
import { answer, shapesFor } from "./reader.ts";

describe("time to read a text from outside grows with its length, or n log n:", () => {
  it.each([...chatReaders(), ...jsonReaders()])("$name", (reader) => {
    for (const { name, text } of shapesFor(reader)) {
      const growth = tooFastGrowth((characters) => {
        const work = reader.prepare(text(characters));
        return () => answer(work);
      });
      expect(growth, name).toBeNull();
    }
  });
});
