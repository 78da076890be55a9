/** A menu that opens where the mouse is. */

import { useRef } from "preact/hooks";
import { type MenuItem, MenuList, menuKey, useOpenMenu } from "./menu.tsx";

export interface ContextMenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** In pixels from the left and the top of the page. */
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
