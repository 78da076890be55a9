/** Watches sampled tokens for stop strings, also those that cross token borders. */

export interface TokenBytes {
  readonly tokenBytes: Uint8Array;
  /** One more than tokens: bytes of token i lie from entry i to entry i + 1. */
  readonly tokenOffsets: Uint32Array;
}

export class StopStringWatch {
  readonly #stops: readonly Uint8Array[];
  readonly #table: TokenBytes;
  readonly #bytes: number[] = [];

  constructor(stops: readonly string[], table: TokenBytes) {
    const encoder = new TextEncoder();
    this.#stops = stops.filter((stop) => stop !== "").map((stop) => encoder.encode(stop));
    this.#table = table;
  }

  /** Takes the next token; true once the sampled bytes contain a stop string. */
  push(id: number): boolean {
    const start = this.#table.tokenOffsets[id] ?? 0;
    const end = this.#table.tokenOffsets[id + 1] ?? start;
    for (let i = start; i < end; i++) {
      this.#bytes.push(this.#table.tokenBytes[i] ?? 0);
      if (this.#stops.some((stop) => this.#endsWith(stop))) return true;
    }
    return false;
  }

  #endsWith(stop: Uint8Array): boolean {
    const offset = this.#bytes.length - stop.length;
    return offset >= 0 && stop.every((byte, i) => this.#bytes[offset + i] === byte);
  }
}
