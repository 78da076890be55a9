/** A view whose script and style sheet load when it is first shown. */

import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { strings } from "../strings/strings.ts";

/** `load` gives the view; `style` is the name of its style sheet beside the script. */
export function lazyView<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  style: string,
): (props: Props) => JSX.Element {
  let loaded: ComponentType<Props> | null = null;
  return function LazyView(props: Props) {
    const [View, setView] = useState<ComponentType<Props> | null>(() => loaded);
    const [error, setError] = useState<string | null>(null);
    useEffect(() => {
      if (View !== null) return;
      Promise.all([load(), loadStyle(style)]).then(
        ([view]) => {
          loaded = view;
          setView(() => view);
        },
        (fault: unknown) => setError(String(fault)),
      );
    }, [View]);
    if (View !== null) return <View {...props} />;
    return (
      <p class="message" aria-busy={error === null}>
        {error ?? strings.loading}
      </p>
    );
  };
}

function loadStyle(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL(name, import.meta.url).href;
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => reject(new Error(`${name} could not be loaded.`)));
    document.head.append(link);
  });
}
