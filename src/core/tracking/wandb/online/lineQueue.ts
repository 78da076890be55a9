/** Lines waiting to be sent, with their positions in the server's append-only file: `docs/protocols/wandb.md#file-stream`. */

/** Longer lines are rejected. */
export const MAX_LINE_BYTES = 10_383_360;
const MAX_PART_BYTES = 10 * 1024 * 1024;

export interface LinePart {
  readonly lines: readonly string[];
  readonly wire: { readonly offset: number; readonly content: readonly string[] };
  /** True if it includes all waiting lines. */
  readonly isLast: boolean;
}

interface QueuedLine {
  readonly text: string;
  readonly bytes: number;
}

export class LineQueue {
  #offset: number;
  #lines: QueuedLine[] = [];

  /** `offset` is the number of lines that the server has. */
  constructor(offset: number) {
    this.#offset = offset;
  }

  get length(): number {
    return this.#lines.length;
  }

  /** The number of lines once all are sent. */
  get end(): number {
    return this.#offset + this.#lines.length;
  }

  /** False if the line is too long; it is then dropped. */
  add(text: string): boolean {
    const bytes = new TextEncoder().encode(text).length;
    if (bytes > MAX_LINE_BYTES) return false;
    this.#lines.push({ text, bytes });
    return true;
  }

  /** As many lines as fit in a request, but at least one if there are any. They stay queued until {@link drop}. */
  part(): LinePart {
    let count = 0;
    let bytes = 0;
    for (const line of this.#lines) {
      bytes += line.bytes;
      if (count > 0 && bytes > MAX_PART_BYTES) break;
      count += 1;
    }
    const lines = this.#lines.slice(0, count).map(({ text }) => text);
    const wire = { offset: this.#offset, content: lines };
    return { lines, wire, isLast: count === this.#lines.length };
  }

  /** Removes a part that the server has. */
  drop({ lines }: LinePart): void {
    this.#lines = this.#lines.slice(lines.length);
    this.#offset += lines.length;
  }
}
