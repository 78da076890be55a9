/** Watches sampled tokens for stop strings, also those that cross token borders. */

import { type ByteTable, decodeBytes } from "../../node/tokenizer/byteTable.ts";

export class StopStringWatch {
  readonly #stops: readonly string[];
  readonly #table: ByteTable;
  readonly #ids: number[] = [];

  constructor(stops: readonly string[], table: ByteTable) {
    this.#stops = stops.filter((stop) => stop !== "");
    this.#table = table;
  }

  /** Takes the next token; true once the decoded text of all tokens contains a stop string. */
  push(id: number): boolean {
    this.#ids.push(id);
    // The text as a client decodes it, so that a stop cut from such a text is found again, broken characters and all.
    const text = decodeBytes(this.#table, this.#ids);
    return this.#stops.some((stop) => text.includes(stop));
  }
}
