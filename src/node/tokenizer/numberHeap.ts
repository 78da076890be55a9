/** A queue of numbers that gives the lowest first. */

export interface NumberHeap {
  push(value: number): void;
  /** Infinity when empty. */
  pop(): number;
}

/** `capacity`: the most values that are in the queue at a time. */
export function createNumberHeap(capacity: number): NumberHeap {
  const heap = new Float64Array(capacity);
  let size = 0;

  return {
    push(value) {
      let at = size++;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        const above = heap[parent] ?? 0;
        if (above <= value) break;
        heap[at] = above;
        at = parent;
      }
      heap[at] = value;
    },
    pop() {
      if (size === 0) return Number.POSITIVE_INFINITY;
      const top = heap[0] ?? 0;
      const last = heap[--size] ?? 0;
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
    },
  };
}
