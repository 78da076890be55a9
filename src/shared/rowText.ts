/** A row of a tree in text, icon and words for a screen reader. */
export interface RowText {
  readonly label: string;
  readonly description: string;
  /** Everything that icon and place say, in words. */
  readonly spoken: string;
  /** Name of a codicon, and of a theme color or null for the usual one. */
  readonly icon: string;
  readonly color: string | null;
  /** Words for when clauses, joined by `+`. */
  readonly context: string;
}
