/** A button that opens a short list of actions. */

import type { RefObject } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { groupBy } from "../../src/shared/groupBy.ts";
import { Icon, type IconName } from "./icon.tsx";
import { type Box, placeLayer } from "./placeLayer.ts";
import { nextPosition, positionOf } from "./toolbar.tsx";

export interface MenuItem {
  readonly label: string;
  readonly run: () => void;
  /** For toggles; they leave the menu open. */
  readonly isChecked?: boolean;
  /** Section heading, for long menus. */
  readonly section?: string;
}

interface MenuProps {
  readonly label: string;
  /** Null for text only. */
  readonly icon: IconName | null;
  /** If false, only screen readers and the tooltip have the label. */
  readonly isTextShown?: boolean;
  readonly items: readonly MenuItem[];
}

const ENTRIES = "[role^=menuitem]";

export function Menu({ label, icon, isTextShown = false, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useOpenMenu(root, isOpen, () => setOpen(false));
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: catches the keys of the buttons within
    <div
      class="menu"
      ref={root}
      onKeyDown={(event) => {
        if (isOpen) menuKey(event, root.current, close);
      }}
    >
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
        {icon === null ? null : <Icon name={icon} />}
        {isTextShown ? <span>{label}</span> : null}
      </button>
      {isOpen ? (
        <MenuList
          id={id}
          label={label}
          items={items}
          close={close}
          anchor={() => button.current?.getBoundingClientRect() ?? null}
          edge="right"
        />
      ) : null}
    </div>
  );
}

interface MenuListProps {
  readonly id?: string;
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly close: () => void;
  /** The element's box to open at; null if it no longer exists. */
  readonly anchor: () => Box | null;
  readonly edge: "left" | "right";
}

/** The entries, in a layer above the page that no card clips. */
function MenuList({ id, label, items, close, anchor, edge }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  // On every render, because toggling an entry may change the size.
  useLayoutEffect(() => {
    const at = anchor();
    const layer = list.current;
    if (layer === null || at === null) return;
    if (!layer.matches(":popover-open")) layer.showPopover();
    layer.style.removeProperty("--room");
    const { offsetWidth: width, offsetHeight: height } = layer;
    const page = { width: window.innerWidth, height: window.innerHeight };
    const place = placeLayer(at, { width, height }, page, edge);
    layer.style.left = `${place.left}px`;
    layer.style.top = `${place.top}px`;
    layer.style.setProperty("--room", `${place.maxHeight}px`);
  });
  return (
    <div
      class="menu-list"
      role="menu"
      popover="manual"
      tabIndex={-1}
      ref={list}
      id={id}
      aria-label={label}
    >
      {[...groupBy(items, ({ section }) => section)].map(([section, entries]) => {
        const drawn = entries.map((item) => (
          <MenuEntry key={item.label} item={item} close={close} />
        ));
        return section === undefined ? (
          drawn
        ) : (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a menu
          <div key={section} role="group" aria-label={section}>
            <p class="menu-section" aria-hidden="true">
              {section}
            </p>
            {drawn}
          </div>
        );
      })}
    </div>
  );
}

/** Focuses the first entry of an open menu; closes it on a click, focus, or scroll elsewhere, and when the page is resized. */
function useOpenMenu(
  root: RefObject<HTMLDivElement | null>,
  isOpen: boolean,
  close: () => void,
): void {
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = (event: Event): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) !== true) close();
    };
    const ending = new AbortController();
    const { signal } = ending;
    document.addEventListener("pointerdown", closeOutside, { signal });
    document.addEventListener("focusin", closeOutside, { signal });
    document.addEventListener("scroll", closeOutside, { capture: true, signal });
    window.addEventListener("resize", close, { signal });
    root.current?.querySelector<HTMLElement>(ENTRIES)?.focus({ preventScroll: true });
    return () => ending.abort();
  }, [isOpen]);
}

/** The arrow keys move through an open menu; Escape closes it. */
function menuKey(event: KeyboardEvent, root: HTMLElement | null, close: () => void): void {
  event.stopPropagation();
  if (event.key === "Escape") {
    close();
    return;
  }
  const entries = [...(root?.querySelectorAll<HTMLElement>(ENTRIES) ?? [])];
  const next = nextPosition(event.key, positionOf(entries, document.activeElement), entries.length);
  if (next === null) return;
  event.preventDefault();
  entries[next]?.focus();
}

interface EntryProps {
  readonly item: MenuItem;
  readonly close: () => void;
}

function MenuEntry({ item: { label, run, isChecked }, close }: EntryProps) {
  if (isChecked !== undefined) {
    return (
      <button
        type="button"
        role="menuitemcheckbox"
        aria-checked={isChecked}
        tabIndex={-1}
        onClick={run}
      >
        <span class="menu-check">{isChecked ? <Icon name="check" /> : null}</span>
        {label}
      </button>
    );
  }
  const choose = (): void => {
    close();
    run();
  };
  return (
    <button type="button" role="menuitem" tabIndex={-1} onClick={choose}>
      {label}
    </button>
  );
}

export interface ContextMenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Pixels from the top left corner of the page. */
  readonly at: { readonly left: number; readonly top: number };
  readonly close: () => void;
}

export function ContextMenu({ label, items, at, close }: ContextMenuProps) {
  const root = useRef<HTMLDivElement>(null);
  useOpenMenu(root, true, close);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: catches the keys of the entries within
    <div ref={root} onKeyDown={(event) => menuKey(event, root.current, close)}>
      <MenuList
        label={label}
        items={items}
        close={close}
        anchor={() => ({ ...at, width: 0, height: 0 })}
        edge="left"
      />
    </div>
  );
}
