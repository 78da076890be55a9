/** Records events in web view pages from outside. */

import type { Frame, Page } from "playwright-core";

interface Noting {
  noted?: string[];
}

/** In every frame that is loaded from now on, records messages sent to it, or violations of its content policy. */
export async function noteEvents(
  page: Page,
  type: "message" | "securitypolicyviolation",
): Promise<void> {
  await page.addInitScript((kind) => {
    const noting = globalThis as Noting;
    noting.noted = [];
    const note = (event: Event): void => {
      const text =
        event instanceof MessageEvent
          ? JSON.stringify(event.data)
          : `${(event as SecurityPolicyViolationEvent).violatedDirective}`;
      noting.noted?.push(text ?? "");
    };
    const add = EventTarget.prototype.addEventListener;
    // VS Code rewrites the document of a loaded frame, which removes all listeners: this one is added together with the page's own.
    EventTarget.prototype.addEventListener = function (...args: Parameters<typeof add>) {
      if (this === globalThis || this === document) add.call(this, kind, note, true);
      add.apply(this, args);
    };
  }, type);
}

export async function notedIn(frame: Frame): Promise<readonly string[]> {
  return await frame.evaluate(() => (globalThis as Noting).noted ?? []);
}
