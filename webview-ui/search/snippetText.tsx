/** A search hit as a single line. */

import * as l10n from "@vscode/l10n";
import type { SearchSnippet } from "../../src/shared/search.ts";
import { searchStrings as text } from "../strings/search.ts";
import { visibleLine } from "../text/visible.ts";

export function SnippetText({ snippet }: { readonly snippet: SearchSnippet }) {
  const { role, turn, before, match, after } = snippet;
  return (
    <>
      <span class="snippet-role">
        {text.roles[role]}
        {turn === null ? null : <span class="fact">{l10n.t("turn {0}", turn + 1)}</span>}
      </span>
      <span class="snippet-text">
        {visibleLine(before)}
        <mark>{visibleLine(match)}</mark>
        {visibleLine(after)}
      </span>
    </>
  );
}
