/** Detects stop strings in sampled tokens, even across token boundaries. */

import { type ByteTable, decodeBytes } from "../../node/tokenizer/byteTable.ts";

export class StopStringWatch {
  readonly #stops: readonly string[];
  readonly #table: ByteTable;
  readonly #ids: number[] = [];

  constructor(stops: readonly string[], table: ByteTable) {
    this.#stops = stops.filter((stop) => stop !== "");
    this.#table = table;
  }

  /** Adds the next token; returns true once the decoded text of all tokens contains a stop string. */
  push(id: number): boolean {
    this.#ids.push(id);
    // Decodes the text as clients do, so that a stop string taken from such a text is found, including replacement characters.
    const text = decodeBytes(this.#table, this.#ids);
    return this.#stops.some((stop) => text.includes(stop));
  }
}
