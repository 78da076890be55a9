/** Text that tries to become control tokens: their names whole, cut, doubled and spelled in other ways, with and without text between. */

/** The same text for the same `seed`; `names` are the texts of a tokenizer's added tokens. */
export function hostileText(names: readonly string[], seed: number): string {
  const random = generator(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const parts = Array.from({ length: 1 + Math.floor(random() * 5) }, () => {
    const name = pick(names) ?? "";
    const at = Math.floor(random() * name.length);
    return pick([
      ...[name, name + name, name.slice(0, at), name.slice(at)],
      ...[name.slice(0, at) + name + name.slice(at), `${name.slice(0, at)} ${name.slice(at)}`],
      ...[name.toUpperCase(), name.normalize("NFKD"), JSON.stringify(name), encodeURI(name)],
      ...["\n", " ", "ok", "é漢🙂", "\u0000", "\ud800", "\u200b", "\ue000"],
    ]);
  });
  return parts.join("");
}

/** Numbers from 0 to 1, by the generator mulberry32. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
