/** A priority queue of numbers, lowest first. */

export class NumberHeap {
  readonly #heap: Float64Array;
  #size = 0;

  /** `capacity`: maximum number of entries at any time. */
  constructor(capacity: number) {
    this.#heap = new Float64Array(capacity);
  }

  push(value: number): void {
    const heap = this.#heap;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] ?? 0;
      if (above <= value) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = value;
  }

  /** Removes and returns the lowest number; infinity if empty. */
  pop(): number {
    if (this.#size === 0) return Number.POSITIVE_INFINITY;
    const heap = this.#heap;
    const top = heap[0] ?? 0;
    this.#size -= 1;
    const size = this.#size;
    const last = heap[size] ?? 0;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      let below = heap[child] ?? 0;
      const other = heap[child + 1] ?? 0;
      if (child + 1 < size && other < below) {
        below = other;
        child += 1;
      }
      if (below >= last) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}
