/** A view whose script and style sheet load when it is first shown. */

import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { strings } from "../strings/strings.ts";

export interface LazyView<Props> {
  (props: Props): JSX.Element;
  /** Loads script and style sheet ahead of time. A failure is reported once the view is shown. */
  preload(): void;
}

/** `load` imports the view; `style` names the style sheet next to the script. */
export function lazyView<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  style: string,
): LazyView<Props> {
  let loaded: ComponentType<Props> | null = null;
  let loading: Promise<ComponentType<Props>> | null = null;
  const loadOnce = (): Promise<ComponentType<Props>> => {
    loading ??= Promise.all([load(), loadStyle(style)]).then(
      ([view]) => {
        loaded = view;
        return view;
      },
      (fault: unknown) => {
        loading = null;
        throw fault;
      },
    );
    return loading;
  };
  const preload = (): void => void loadOnce().catch(() => undefined);
  return Object.assign(LazyView, { preload });

  function LazyView(props: Props) {
    const [View, setView] = useState<ComponentType<Props> | null>(() => loaded);
    const [error, setError] = useState<string | null>(null);
    useEffect(() => {
      if (View !== null) return;
      loadOnce().then(
        (view) => setView(() => view),
        (fault: unknown) => setError(String(fault)),
      );
    }, [View]);
    if (View !== null) return <View {...props} />;
    return (
      <p class="message" aria-busy={error === null}>
        {error ?? strings.loading}
      </p>
    );
  }
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
