/** Makes untrusted text harmless: characters that could control a terminal become visible ones. */

/** Controls, lone surrogates, separators of lines and invisible formats; joiners stay, scripts and emoji need them. */
const STEERING = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const TAB = "    ";

/** Keeps line feeds and widens tabs; every other control character becomes visible. Repeating it changes nothing. */
export function visibleText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(STEERING, (character) => {
    if (character === "\n") return character;
    return character === "\t" ? TAB : signOf(character);
  });
}

/** As {@link visibleText}, on one line. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll("\n", "⏎");
}

/** For single tokens: white space is visible too. */
export function visibleToken(text: string): string {
  const shown = text.replaceAll(" ", "·").replaceAll("\t", "⇥").replaceAll("\r", "␍");
  return visibleLine(shown);
}

function signOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "␡" : `\\u{${code.toString(16)}}`;
}
