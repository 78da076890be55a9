/** Makes external names and messages safe to show in the editor. */

/** Characters that have an effect instead of being shown: controls, directions, line separators. */
const ACTING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const LINE_LENGTH = 200;
const MESSAGE_LENGTH = 1_000;

/** A single line; active characters become `·`, and overlong text is cut. */
export function plainLine(text: string, length = LINE_LENGTH): string {
  return cut(text, length).replace(ACTING, "·");
}

/** Several lines. Defuses `[text](address)`, which becomes a link that may run commands, and `$(name)`, which becomes an icon. */
export function plainText(text: string): string {
  return text.split("\n").map(plainLabel).join("\n");
}

/** The same, with overlong text cut. */
export function plainMessage(text: string): string {
  return plainText(cut(text, MESSAGE_LENGTH));
}

/** The same for a single line. */
export function plainLabel(text: string): string {
  return text.replace(ACTING, "·").replaceAll("](", "] (").replaceAll("$(", "$ (");
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
