/** How kinds of time are drawn: waits are hatched, so that colour is never the only difference. */

import type { TimeKind } from "../../../src/shared/timeline.ts";

const HATCHED = ["queue", "retry", "place", "prepare"] as const;
const SIZE = 12;

/** The patterns that the bars of the page fill with. */
export function KindPatterns() {
  return (
    <svg width="0" height="0" class="timeline-patterns" aria-hidden="true">
      <defs>
        {HATCHED.map((kind) => (
          <pattern
            key={kind}
            id={`timeline-${kind}`}
            width="5"
            height="5"
            patternUnits="userSpaceOnUse"
            patternTransform={`rotate(${kind === "retry" ? -45 : 45})`}
          >
            <rect class="timeline-hatch" data-kind={kind} width="2.5" height="5" />
          </pattern>
        ))}
      </defs>
    </svg>
  );
}

export function KindSwatch({ kind }: { readonly kind: TimeKind }) {
  return (
    <svg class="timeline-swatch" width={SIZE} height={SIZE} aria-hidden="true">
      <rect class="timeline-span" data-kind={kind} width={SIZE} height={SIZE} />
    </svg>
  );
}
