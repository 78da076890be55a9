/** Names and messages from elsewhere, made fit for the places where the editor shows text. */

/** Characters that act instead of being shown: controls, directions, separators of lines. */
const ACTING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const LINE_LENGTH = 200;
const MESSAGE_LENGTH = 1_000;

/** One line of a view; what would act becomes `·`, and what nobody would read is cut. */
export function plainLine(text: string, length = LINE_LENGTH): string {
  return cut(text, length).replace(ACTING, "·");
}

/** A notification: the editor makes links of `[text](address)` in one, also links that run commands. */
export function plainMessage(text: string): string {
  const lines = cut(text, MESSAGE_LENGTH).split("\n");
  const plain = lines.map((line) => line.replace(ACTING, "·")).join("\n");
  return plain.replaceAll("](", "] (");
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
