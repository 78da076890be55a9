/** A region that scrolls by mouse and keyboard. */

import type { ComponentChildren } from "preact";

interface ScrollRegionProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

export function ScrollRegion({ label, children }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard could not scroll
    <section class="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
