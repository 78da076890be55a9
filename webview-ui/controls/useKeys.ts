/** Keys that a view handles wherever the focus is. */

import { useLayoutEffect, useRef } from "preact/hooks";

/** Calls the latest `onKey` for each key while the view is mounted. */
export function useKeys(onKey: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => latest.current(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
