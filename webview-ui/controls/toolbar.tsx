/** A row of buttons that is one stop of the Tab key: the arrow keys move within it. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface ToolbarProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

const BUTTONS = "button:not(:disabled)";

export function Toolbar({ label, children }: ToolbarProps) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const buttons = buttonsOf(bar.current);
    const current = buttons.find((button) => button.tabIndex === 0) ?? buttons[0];
    for (const button of buttons) button.tabIndex = button === current ? 0 : -1;
  });
  const move = (event: KeyboardEvent): void => {
    const buttons = buttonsOf(bar.current);
    const at = positionOf(buttons, document.activeElement);
    const next = nextPosition(event.key, at, buttons.length);
    const target = next === null ? undefined : buttons[next];
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    for (const button of buttons) button.tabIndex = button === target ? 0 : -1;
    target.focus();
  };
  return (
    <div class="toolbar" role="toolbar" aria-label={label} ref={bar} onKeyDown={move}>
      {children}
    </div>
  );
}

/** Where a key leads in a row of `count` things; null when it leads nowhere. */
export function nextPosition(key: string, at: number, count: number): number | null {
  if (count === 0 || at < 0) return null;
  if (key === "ArrowRight" || key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowLeft" || key === "ArrowUp") return (at - 1 + count) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}

function buttonsOf(bar: HTMLElement | null): readonly HTMLButtonElement[] {
  return bar === null
    ? []
    : [
        ...bar.querySelectorAll<HTMLButtonElement>(
          `:scope > ${BUTTONS}, :scope > .menu > ${BUTTONS}`,
        ),
      ];
}

/** Where an element is in a row; -1 when it does not. */
export function positionOf(row: readonly Element[], element: Element | null): number {
  return element === null ? -1 : row.indexOf(element);
}
