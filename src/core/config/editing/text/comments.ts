/** The comments of a YAML text. */

import { CST, Lexer } from "yaml";
import type { Span } from "../../source/span.ts";

export interface Comment {
  readonly start: number;
  /** With its `#`, without white space around it. */
  readonly text: string;
}

/** In order; the text must be one that was read. */
export function commentsOf(text: string): readonly Comment[] {
  const comments: Comment[] = [];
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const type = CST.tokenType(lexeme);
    if (type === "comment") comments.push({ start: offset, text: lexeme.trimEnd() });
    // The lexer marks documents and scalars with characters that are not in the text.
    if (type !== "doc-mode" && type !== "flow-error-end" && type !== "scalar")
      offset += lexeme.length;
  }
  return comments;
}

export function commentsIn(text: string, { start, end }: Span): readonly Comment[] {
  return commentsOf(text).filter((comment) => comment.start >= start && comment.start < end);
}
