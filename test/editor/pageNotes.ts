/** Events in the pages of web views, noted from outside. */

import type { Frame, Page } from "playwright-core";

interface Noting {
  noted?: string[];
}

/** Notes in every frame that is loaded from now on what it is sent, or what its content policy refuses. */
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
    // VS Code writes the page into a frame that is loaded already, which takes all listeners away: ours comes with those of the page.
    EventTarget.prototype.addEventListener = function (...args: Parameters<typeof add>) {
      if (this === globalThis || this === document) add.call(this, kind, note, true);
      add.apply(this, args);
    };
  }, type);
}

export async function notedIn(frame: Frame): Promise<readonly string[]> {
  return await frame.evaluate(() => (globalThis as Noting).noted ?? []);
}
