/** Keys that a view takes wherever the focus is. */

import { useLayoutEffect, useRef } from "preact/hooks";

/** `onKey` is called with each key while the view is there, as it was drawn last. */
export function useKeys(onKey: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => latest.current(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
