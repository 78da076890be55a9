/** A row of controls that is one stop of the Tab key: the arrow keys move within it. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface ToolbarProps {
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

const CONTROLS = "button:not(:disabled), select, input";

export function Toolbar({ label, class: own = "", children }: ToolbarProps) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const controls = controlsOf(bar.current);
    reach(controls, controls.find((control) => control.tabIndex === 0) ?? controls[0]);
  });
  const move = (event: KeyboardEvent): void => {
    const controls = controlsOf(bar.current);
    const at = positionOf(controls, document.activeElement);
    // The other arrows choose a value of the control.
    const hasValue = controls[at]?.matches("select, input") === true;
    if (hasValue && event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const next = nextPosition(event.key, at, controls.length);
    const target = next === null ? undefined : controls[next];
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    target.focus();
  };
  return (
    <div
      class={`toolbar ${own}`}
      role="toolbar"
      aria-label={label}
      ref={bar}
      onKeyDown={move}
      onFocusIn={({ target }) => {
        const controls = controlsOf(bar.current);
        const focused = controls.find((control) => control === target);
        if (focused !== undefined) reach(controls, focused);
      }}
    >
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

/** Without the entries of open menus. */
function controlsOf(bar: HTMLElement | null): readonly HTMLElement[] {
  const found = bar?.querySelectorAll<HTMLElement>(CONTROLS) ?? [];
  return [...found].filter((control) => control.closest("[role=menu]") === null);
}

/** The Tab key reaches one of them. */
function reach(controls: readonly HTMLElement[], reached: HTMLElement | undefined): void {
  for (const control of controls) control.tabIndex = control === reached ? 0 : -1;
}

/** Where an element is in a row; -1 when it does not. */
export function positionOf(row: readonly Element[], element: Element | null): number {
  return element === null ? -1 : row.indexOf(element);
}
