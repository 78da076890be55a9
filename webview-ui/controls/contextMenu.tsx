/** A menu that opens where the mouse is. */

import { useRef } from "preact/hooks";
import { MenuEntry, type MenuItem, menuKey, useOpenMenu } from "./menu.tsx";

export interface ContextMenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** In pixels from the left and the top of the element around it. */
  readonly at: { readonly left: number; readonly top: number };
  readonly close: () => void;
}

export function ContextMenu({ label, items, at, close }: ContextMenuProps) {
  const root = useRef<HTMLDivElement>(null);
  useOpenMenu(root, true, close);
  return (
    <div
      class="menu-list context"
      role="menu"
      tabIndex={-1}
      ref={root}
      aria-label={label}
      style={{ left: `min(${at.left}px, max(0px, 100% - 250px))`, top: `${at.top}px` }}
      onKeyDown={(event) => menuKey(event, root.current, close)}
    >
      {items.map((item) => (
        <MenuEntry key={item.label} item={item} close={close} />
      ))}
    </div>
  );
}
