/** A text as Markdown; plain until the renderer has loaded. */

import * as l10n from "@vscode/l10n";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Host } from "../model/host.ts";
import { UntrustedText } from "./untrustedText.tsx";
import { visibleText } from "./visible.ts";

type Render = typeof import("./markdown.ts").renderMarkdown;

/** Longer texts stay plain, because parsing them would block the page. */
const MAX_CHARACTERS = 40_000;

let loaded: Render | null = null;

export function MarkdownText({ host, text }: { readonly host: Host; readonly text: string }) {
  const [render, setRender] = useState<Render | null>(() => loaded);
  const element = useRef<HTMLDivElement>(null);
  const isShort = text.length <= MAX_CHARACTERS;
  useEffect(() => {
    if (render !== null || !isShort) return;
    let isWanted = true;
    import("./markdown.ts").then(
      ({ renderMarkdown }) => {
        loaded = renderMarkdown;
        if (isWanted) setRender(() => renderMarkdown);
      },
      // Without the renderer the text simply stays plain.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [render, isShort]);
  useEffect(() => {
    if (render === null || element.current === null) return;
    const content = render(visibleText(text));
    for (const link of content.querySelectorAll("a")) bindLink(link, host);
    element.current.replaceChildren(content);
  }, [render, text, host]);
  if (render === null || !isShort) {
    return (
      <div class="plain-text">
        <UntrustedText text={text} />
      </div>
    );
  }
  return <div class="markdown" dir="auto" ref={element} />;
}

/** Shows a link's target, and has the editor confirm before it opens. */
function bindLink(link: HTMLAnchorElement, host: Host): void {
  const address = link.getAttribute("href");
  if (address === null) {
    link.replaceWith(...link.childNodes);
    return;
  }
  link.title = l10n.t("Opens {0}", address);
  if (link.textContent !== address) link.append(` (${address})`);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    host.command("openLink", { url: address });
  });
}
