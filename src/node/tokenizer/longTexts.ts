/**
 * Encodes long texts in a worker from within synchronous rendering: the rendering stops at a long text whose ids are unknown, and is
 * restarted once they are available.
 */

/** Encoding this many characters takes about ten milliseconds. */
const LONG = 16_384;
/** Each long text restarts the rendering; beyond this many, texts are encoded on this thread. */
const MOST_STARTS = 32;

interface LongTextEncoder {
  encodeText(text: string): readonly number[];
  whileEncoding<T>(render: () => T): Promise<T>;
}

/** Thrown to stop a rendering that needs the ids of a long text. */
class NotEncoded extends Error {
  readonly text: string;

  constructor(text: string) {
    super("A long text is not encoded yet.");
    this.text = text;
  }
}

/** If `encodeElsewhere` fails, the text is encoded on this thread. */
export function createLongTextEncoder(
  encodeHere: (text: string) => readonly number[],
  encodeElsewhere: (text: string) => Promise<readonly number[]>,
): LongTextEncoder {
  let known: ReadonlyMap<string, readonly number[]> | null = null;

  const encodeText = (text: string): readonly number[] => {
    if (known === null || text.length < LONG) return encodeHere(text);
    const ids = known.get(text);
    if (ids !== undefined) return ids;
    if (known.size >= MOST_STARTS) return encodeHere(text);
    throw new NotEncoded(text);
  };

  /** Synchronous, so that only this rendering sees these ids. */
  const attempt = <T>(ids: ReadonlyMap<string, readonly number[]>, render: () => T): T => {
    known = ids;
    try {
      return render();
    } finally {
      known = null;
    }
  };

  return {
    encodeText,
    async whileEncoding(render) {
      const ids = new Map<string, readonly number[]>();
      for (;;) {
        try {
          return attempt(ids, render);
        } catch (error) {
          if (!(error instanceof NotEncoded)) throw error;
          const { text } = error;
          ids.set(text, await encodeElsewhere(text).catch(() => encodeHere(text)));
        }
      }
    },
  };
}
