/** Untrusted text: always text nodes, with active characters replaced by visible labels. */

import { useMemo } from "preact/hooks";
import { visiblePieces } from "./visible.ts";

export function UntrustedText({ text }: { readonly text: string }) {
  const pieces = useMemo(() => visiblePieces(text), [text]);
  return (
    <>
      {pieces.map((piece, index) =>
        piece.isSymbol ? (
          <span class="sign" key={index}>
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}
