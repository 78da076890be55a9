/** A long text, folded until it is expanded; says how much was truncated before it arrived. */

import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import type { BoundedText } from "../../src/shared/dashboardTypes.ts";
import { formatCount, plural } from "../../src/shared/format.ts";
import { UntrustedText } from "./untrustedText.tsx";
import { foldText } from "./visible.ts";

const MAX_LINES = 20;
const MAX_CHARACTERS = 4_000;

interface FoldedTextProps {
  readonly content: BoundedText;
  /** Class of the element, in addition to `plain-text`. */
  readonly class?: string;
}

export function FoldedText({ content, class: own = "" }: FoldedTextProps) {
  const [isOpen, setOpen] = useState(false);
  const folded = foldText(content.text, MAX_LINES, MAX_CHARACTERS);
  const lines = folded === null ? 0 : content.text.split("\n").length;
  return (
    <>
      <div class={`plain-text ${own}`}>
        <UntrustedText text={folded === null || isOpen ? content.text : folded} />
      </div>
      {folded === null ? null : (
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen
            ? l10n.t("Fold")
            : lines > 1
              ? l10n.t("Show all {0} lines", formatCount(lines))
              : l10n.t("Show all {0} characters", formatCount(content.text.length))}
        </button>
      )}
      <Omitted content={content} />
    </>
  );
}

/** A text that was not truncated. */
export function wholeText(text: string): BoundedText {
  return { text, omitted: 0 };
}

/** Says how much of a text was truncated; renders nothing for a complete text. */
export function Omitted({ content }: { readonly content: BoundedText }) {
  return content.omitted === 0 ? null : (
    <p class="note">
      {plural(
        content.omitted,
        "{0} more character. Open as JSON to see all.",
        "{0} more characters. Open as JSON to see all.",
      )}
    </p>
  );
}
