/** Spans of a decoded text, and their positions in the source text. */

/** A range of a text; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const NO_SPANS: readonly Span[] = [];

/** One way to decode a text. */
export interface Decoding {
  /** Matches what is replaced; needs the flag `g`. */
  readonly pattern: RegExp;
  readonly meaningOf: (written: string) => string;
}

/** Returns the spans sorted, with overlapping ones joined. */
export function joined(spans: readonly Span[]): readonly Span[] {
  const apart: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (last === undefined || span.start >= last.end) apart.push(span);
    else apart[apart.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return apart;
}

/** Searches `source` decoded, and maps the ordered, disjoint spans that `find` returns back to it. */
export function spansDecoded(
  source: string,
  { pattern, meaningOf }: Decoding,
  find: (text: string) => readonly Span[],
): readonly Span[] {
  // A wrapper, because `replace` passes additional arguments.
  const spans = find(source.replace(pattern, (written) => meaningOf(written)));
  if (spans.length === 0) return spans;
  /** Offsets of the first and the last character of each span. */
  const offsets = spans.flatMap(({ start, end }) => [start, end - 1]);
  const found: number[] = [];
  /** How much further the current position is in the source. */
  let shift = 0;
  for (const { 0: written, index } of source.matchAll(pattern)) {
    const first = index - shift;
    const end = first + meaningOf(written).length;
    for (
      let offset = offsets[found.length];
      offset !== undefined && offset < end;
      offset = offsets[found.length]
    ) {
      const isFirst = found.length % 2 === 0;
      if (offset < first) found.push(offset + shift);
      else found.push(isFirst ? index : index + written.length - 1);
    }
    shift = index + written.length - end;
  }
  const mapped = (i: number): number => found[i] ?? (offsets[i] ?? 0) + shift;
  return spans.map((_, i) => ({ start: mapped(2 * i), end: mapped(2 * i + 1) + 1 }));
}
