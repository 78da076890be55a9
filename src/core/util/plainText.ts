/** Names and messages from elsewhere, made fit for the places where the editor shows text. */

/** Characters that act instead of being shown: controls, directions, separators of lines. */
const ACTING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const LINE_LENGTH = 200;
const MESSAGE_LENGTH = 1_000;

/** One line of a view; what would act becomes `·`, and what no one would read is cut. */
export function plainLine(text: string, length = LINE_LENGTH): string {
  return cut(text, length).replace(ACTING, "·");
}

/** Several lines. The editor makes links of `[text](address)`, also such as run commands, and icons of `$(name)`. */
export function plainText(text: string): string {
  return text.split("\n").map(plainLabel).join("\n");
}

/** The same, without what no one would read. */
export function plainMessage(text: string): string {
  return plainText(cut(text, MESSAGE_LENGTH));
}

/** The same on one line. */
export function plainLabel(text: string): string {
  return text.replace(ACTING, "·").replaceAll("](", "] (").replaceAll("$(", "$ (");
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
