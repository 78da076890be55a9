/** A tree row: text, icon and screen reader label. */
export interface RowText {
  readonly label: string;
  readonly description: string;
  /** Everything that the icon and position convey, in words. */
  readonly spoken: string;
  /** A codicon name; `color` is a theme color, or null for the default. */
  readonly icon: string;
  readonly color: string | null;
  /** Words for `when` clauses, joined by `+`. */
  readonly context: string;
}
