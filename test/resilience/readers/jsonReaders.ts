/** Parsers of JSON and of lines. */

import { parseExactJson } from "../../../src/core/util/exactJson.ts";
import { parseJson, parseJsonLines } from "../../../src/core/util/jsonl.ts";
import { type Reader, reads } from "./reader.ts";

const FRAMES: NonNullable<Reader["frames"]> = [
  ["", ""],
  ['"', '"'],
  ['{"a": 1.5, "b": "', '"}'],
  ["[", "1.5]"],
  ["[", "NaN]"],
  ['{"a": 1.5, "b": ["', '", 1.50]}'],
];
const ATOMS = [
  '"#",',
  '"#0#",1.5,',
  '{"a":1},',
  '"a","a",',
  "1.5,1.50,",
  "NaN,",
  "\n{}\n",
  "\\n",
  "\\\\",
];

export function jsonReaders(): readonly Reader[] {
  const bytes = new TextEncoder();
  return [
    { name: "JSON with exact numbers", prepare: reads(parseExactJson) },
    { name: "JSON", prepare: reads(parseJson) },
    {
      name: "JSON lines",
      prepare: (text: string) => {
        const encoded = bytes.encode(text);
        return () => parseJsonLines(encoded);
      },
    },
  ].map((reader) => ({ ...reader, atoms: ATOMS, frames: FRAMES }));
}
