/** Limits the size of template values: a few short lines can double a text or list endlessly. */

/** The parts of a template engine's value that determine its size. */
interface SizedValue {
  readonly type: string;
  readonly value: unknown;
}

/** Characters of a text or of a list's whole contents when written out: twice what the longest conversation has. */
const MAX_CHARACTERS = 8_000_000;
/** Twice the limit of a range. */
const MAX_ITEMS = 200_000;
/** Nesting depth of lists; a tool's schema has about ten levels. */
const MAX_NESTING = 50;

interface Extent {
  /** Characters, counted as often as they would be written. */
  readonly size: number;
  readonly nesting: number;
  /** False if it contains a namespace, which may grow. */
  readonly isFixed: boolean;
}

export class ValueSizes {
  readonly #known = new WeakMap<object, Extent>();

  /** Characters of a text, or items of a list or mapping; 0 for anything else. Throws if the value is too large to write out. */
  of(value: SizedValue): number {
    this.#extentOf(value, 0);
    return ownSize(value.value);
  }

  /** Characters of everything in the value. */
  expanded(value: SizedValue): number {
    return this.#extentOf(value, 0).size;
  }

  #extentOf(value: SizedValue, depth: number): Extent {
    const size = ownSize(value.value);
    const children = childrenOf(value.value);
    if (children === null) return bounded({ size, nesting: 0, isFixed: true });
    const before = this.#known.get(value);
    if (before !== undefined) return before;
    if (size > MAX_ITEMS)
      throw new Error(`it makes a list longer than ${MAX_ITEMS.toLocaleString("en")} items`);
    if (depth > MAX_NESTING) throw tooDeep();
    const extent = this.#sumOf(children, value.type !== "NamespaceValue", depth);
    if (extent.isFixed) this.#known.set(value, extent);
    return extent;
  }

  #sumOf(children: Iterable<SizedValue>, isFixedItself: boolean, depth: number): Extent {
    let size = 0;
    let nesting = 0;
    let isFixed = isFixedItself;
    for (const child of children) {
      const inner = this.#extentOf(child, depth + 1);
      size += inner.size + 1;
      nesting = Math.max(nesting, inner.nesting + 1);
      isFixed &&= inner.isFixed;
      bounded({ size, nesting, isFixed });
    }
    return { size, nesting, isFixed };
  }
}

function bounded(extent: Extent): Extent {
  if (extent.size > MAX_CHARACTERS) {
    throw new Error(
      `it makes a text or list longer than ${MAX_CHARACTERS / 1e6} million characters`,
    );
  }
  if (extent.nesting > MAX_NESTING) throw tooDeep();
  return extent;
}

function tooDeep(): Error {
  return new Error(`it nests lists more than ${MAX_NESTING} deep`);
}

function ownSize(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return value instanceof Map ? value.size : 0;
}

function childrenOf(value: unknown): Iterable<SizedValue> | null {
  if (Array.isArray(value)) return value;
  return value instanceof Map ? value.values() : null;
}
