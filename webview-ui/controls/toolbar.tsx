/** A row of controls that is a single tab stop; the arrow keys move within it. */

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
    // The other arrow keys change the control's value.
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

/** The position that a key moves to in a row of `count` items; null for other keys. */
export function nextPosition(key: string, at: number, count: number): number | null {
  if (count === 0 || at < 0) return null;
  if (key === "ArrowRight" || key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowLeft" || key === "ArrowUp") return (at - 1 + count) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}

/** Excludes the entries of open menus. */
function controlsOf(bar: HTMLElement | null): readonly HTMLElement[] {
  const found = bar?.querySelectorAll<HTMLElement>(CONTROLS) ?? [];
  return [...found].filter((control) => control.closest("[role=menu]") === null);
}

/** Makes one control the tab stop. */
function reach(controls: readonly HTMLElement[], reached: HTMLElement | undefined): void {
  for (const control of controls) control.tabIndex = control === reached ? 0 : -1;
}

/** The index of an element in a row; -1 if it is not there. */
export function positionOf(row: readonly Element[], element: Element | null): number {
  return element === null ? -1 : row.indexOf(element);
}
