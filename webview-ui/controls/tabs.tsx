/** Tabs over a panel: a single tab stop with arrow-key navigation. Tabs that do not fit move into a menu. */

import * as l10n from "@vscode/l10n";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Menu } from "./menu.tsx";
import { nextPosition } from "./toolbar.tsx";

interface TabsProps<Tab extends string> {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly chosen: Tab;
  /** Prefix of the tabs' ids. */
  readonly prefix: string;
  /** Id of the panel. */
  readonly panel: string;
  readonly name: (tab: Tab) => string;
  readonly choose: (tab: Tab) => void;
}

/** Width of the overflow menu in pixels. */
const MENU_WIDTH = 40;

export function Tabs<Tab extends string>(props: TabsProps<Tab>) {
  const { label, tabs, chosen, prefix, panel, name, choose } = props;
  const bar = useRef<HTMLDivElement>(null);
  const count = useFitting(bar, tabs.map(name).join("\n"));
  const folded = foldedTabs(tabs, chosen, count);
  const shown = tabs.filter((tab) => !folded.includes(tab));
  const onKey = (event: KeyboardEvent): void => {
    const next = nextPosition(event.key, tabs.indexOf(chosen), tabs.length);
    const tab = next === null ? undefined : tabs[next];
    if (tab === undefined) return;
    event.preventDefault();
    choose(tab);
    // A tab from the overflow menu must be rendered before it can take the focus.
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`#${prefix}-${tab}`)?.focus());
  };
  return (
    <div class="tabs" ref={bar}>
      <div class="tab-list" role="tablist" aria-label={label} onKeyDown={onKey}>
        {shown.map((tab) => (
          <button
            type="button"
            role="tab"
            key={tab}
            id={`${prefix}-${tab}`}
            aria-selected={tab === chosen}
            aria-controls={panel}
            tabIndex={tab === chosen ? 0 : -1}
            onClick={() => choose(tab)}
          >
            {name(tab)}
          </button>
        ))}
      </div>
      {folded.length === 0 ? null : (
        <Menu
          label={l10n.t("More views")}
          icon="ellipsis"
          items={folded.map((tab) => ({ label: name(tab), run: () => choose(tab) }))}
        />
      )}
    </div>
  );
}

/** The tabs that do not fit when `count` of them do; never the chosen one. */
function foldedTabs<Tab>(tabs: readonly Tab[], chosen: Tab, count: number): readonly Tab[] {
  if (count >= tabs.length) return [];
  const shown = tabs.slice(0, Math.max(1, count));
  if (!shown.includes(chosen)) shown.splice(-1, 1, chosen);
  return tabs.filter((tab) => !shown.includes(tab));
}

/** How many tabs fit into the bar, by their widths when all were rendered. `names` lists all tabs, one per line. */
function useFitting(bar: RefObject<HTMLDivElement | null>, names: string): number {
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  const widths = useRef<readonly number[]>([]);
  useLayoutEffect(() => {
    const element = bar.current;
    if (element === null) return;
    setWidth(Number.POSITIVE_INFINITY);
    widths.current = [];
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element);
    return () => observer.disconnect();
  }, [bar, names]);
  useLayoutEffect(() => {
    if (width !== Number.POSITIVE_INFINITY || bar.current === null) return;
    const tabs = [...bar.current.querySelectorAll<HTMLElement>("[role=tab]")];
    widths.current = tabs.map((tab) => tab.offsetWidth);
  });
  const total = widths.current.reduce((sum, own) => sum + own, 0);
  if (total <= width) return Number.POSITIVE_INFINITY;
  let left = width - MENU_WIDTH;
  return widths.current.filter((own) => {
    left -= own;
    return left >= 0;
  }).length;
}
