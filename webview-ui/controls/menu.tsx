/** A button that opens a short list of actions. */

import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";
import { nextPosition, positionOf } from "./toolbar.tsx";

export interface MenuItem {
  readonly label: string;
  readonly run: () => void;
  /** For entries that are switched; they leave the menu open. */
  readonly isChecked?: boolean;
}

interface MenuProps {
  readonly label: string;
  readonly icon: IconName;
  /** Without it the label is for screen readers and the tooltip only. */
  readonly isTextShown?: boolean;
  readonly items: readonly MenuItem[];
}

export function Menu({ label, icon, isTextShown = false, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = (event: Event): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) !== true)
        setOpen(false);
    };
    document.addEventListener("pointerdown", closeOutside);
    document.addEventListener("focusin", closeOutside);
    root.current?.querySelector<HTMLElement>("[role^=menuitem]")?.focus();
    return () => {
      document.removeEventListener("pointerdown", closeOutside);
      document.removeEventListener("focusin", closeOutside);
    };
  }, [isOpen]);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (!isOpen) return;
    event.stopPropagation();
    if (event.key === "Escape") {
      close();
      return;
    }
    const entries = [...(root.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
    const at = positionOf(entries, document.activeElement);
    const next = nextPosition(event.key, at, entries.length);
    if (next === null) return;
    event.preventDefault();
    entries[next]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: catches the keys of the buttons within
    <div class="menu" ref={root} onKeyDown={onKey}>
      <button
        type="button"
        ref={button}
        class={isTextShown ? "quiet" : "quiet only-icon"}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={isTextShown ? undefined : label}
        title={isTextShown ? undefined : label}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} />
        {isTextShown ? <span>{label}</span> : null}
      </button>
      {isOpen ? (
        <div class="menu-list" role="menu" id={id} aria-label={label}>
          {items.map(({ label: name, run, isChecked }) => (
            <button
              type="button"
              role={isChecked === undefined ? "menuitem" : "menuitemcheckbox"}
              {...(isChecked === undefined ? {} : { "aria-checked": isChecked })}
              tabIndex={-1}
              key={name}
              onClick={() => {
                if (isChecked === undefined) close();
                run();
              }}
            >
              {isChecked === undefined ? null : (
                <span class="menu-check">{isChecked ? <Icon name="check" /> : null}</span>
              )}
              {name}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}
