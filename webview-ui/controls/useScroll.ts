/** Keeps a region's scroll position across tabs, hiding, and reloads. */

import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { DashboardModel } from "../model/dashboardModel.ts";

const SETTLE_MS = 200;

/** A ref for the scrolling region. */
export function useScroll(
  dashboard: DashboardModel,
  name: string,
): RefObject<HTMLDivElement | null> {
  const region = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = region.current;
    if (element === null) return;
    element.scrollTop = dashboard.view.peek().scroll[name] ?? 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const save = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        dashboard.update({
          scroll: { ...dashboard.view.peek().scroll, [name]: element.scrollTop },
        });
      }, SETTLE_MS);
    };
    element.addEventListener("scroll", save, { passive: true });
    return () => {
      clearTimeout(timer);
      element.removeEventListener("scroll", save);
    };
  }, [dashboard, name]);
  return region;
}
