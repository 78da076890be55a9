/** A view's row, for conversion to the editor's tree item. */

import * as vscode from "vscode";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";

export interface TreeRow {
  readonly label: string;
  readonly id?: string | undefined;
  readonly description?: string | undefined;
  readonly tooltip?: string | undefined;
  /** Everything that icon and position convey, in words. */
  readonly spoken?: string | undefined;
  /** A codicon name; `color` is a theme color, or null for the default. */
  readonly icon?: string | undefined;
  readonly color?: string | null | undefined;
  /** Words for `when` clauses, joined by `+`. */
  readonly context?: string | undefined;
  readonly command?: vscode.Command | undefined;
}

export function treeItem(
  { label, spoken, icon, color = null, context, ...same }: TreeRow,
  state: vscode.TreeItemCollapsibleState = vscode.TreeItemCollapsibleState.None,
): vscode.TreeItem {
  const themeColor = color === null ? undefined : new vscode.ThemeColor(color);
  const drawn = withoutUndefined({
    ...same,
    contextValue: context,
    accessibilityInformation: spoken === undefined ? undefined : { label: spoken },
    iconPath: icon === undefined ? undefined : new vscode.ThemeIcon(icon, themeColor),
  });
  return Object.assign(new vscode.TreeItem(label, state), drawn);
}
