/** A text of a replay under its label. */

import type { ComponentChildren } from "preact";

interface BlockProps {
  readonly label: string;
  readonly tone: "context" | "model" | "call" | "result" | "error";
  readonly children: ComponentChildren;
}

export function Block({ label, tone, children }: BlockProps) {
  const marks =
    tone === "error" ? { "data-error": true } : tone === "call" ? { "data-call": true } : {};
  return (
    <section class="block" data-tone={tone} {...marks} tabIndex={-1}>
      <p class="block-label">{label}</p>
      {children}
    </section>
  );
}
