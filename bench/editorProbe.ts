/** Code that runs inside the editor's pages to take times where they occur. */

import type { Frame, Page } from "playwright-core";

/** Milliseconds since the Unix epoch, by the pages' own clocks. */
interface Marks {
  /** The mouse was pressed. */
  pressed?: number;
  /** The dashboard page reported that it is ready. */
  ready?: number;
  /** The first numbers arrived. */
  numbers?: number;
  /** The frame that shows the first line of the first chart. */
  chart?: number;
}

declare global {
  var benchMarks: Marks;
}

/** Install it in every frame before the frame's own scripts. */
export function PROBE(): void {
  const now = (): number => performance.timeOrigin + performance.now();
  const marks: Marks = {};
  globalThis.benchMarks = marks;
  addEventListener("pointerdown", () => (marks.pressed = now()), { capture: true });
  const page = globalThis as unknown as Record<string, unknown>;
  const stroke = CanvasRenderingContext2D.prototype.stroke;
  let given: (() => Record<string, unknown>) | undefined;
  // VS Code gives its function only to the page of a web view.
  Object.defineProperty(page, "acquireVsCodeApi", {
    configurable: true,
    get: () => given,
    set: (own: () => Record<string, unknown> & { postMessage(message: unknown): void }) => {
      given = () => {
        // Only checks the beginning of the JSON message, because parsing it again would cost the time being measured.
        addEventListener("message", ({ data }: MessageEvent<unknown>) => {
          if (String(data).slice(0, 40).includes('"append"')) marks.numbers ??= now();
        });
        const api = own();
        return {
          ...api,
          postMessage: (message: { readonly kind?: string }) => {
            if (message.kind === "ready") marks.ready ??= now();
            api.postMessage(message);
          },
        };
      };
    },
  });
  CanvasRenderingContext2D.prototype.stroke = function (
    this: CanvasRenderingContext2D,
    ...args: unknown[]
  ) {
    Reflect.apply(stroke, this, args);
    if (marks.numbers === undefined || marks.chart !== undefined) return;
    marks.chart = now();
    // The drawing is visible when the frame ends.
    requestAnimationFrame(() => setTimeout(() => (marks.chart = now())));
  };
}

export interface OpeningTimes {
  /** From the click to the chart. */
  readonly wholeMs: number;
  /** From the page's `ready` to the chart, and from `ready` to the first numbers. */
  readonly readyMs: number;
  readonly numbersMs: number;
}

/** Times of the dashboard opened by the last mouse press. */
export async function openingTimes(page: Page, frame: Frame): Promise<OpeningTimes> {
  await frame.waitForFunction(() => globalThis.benchMarks.chart !== undefined);
  await page.waitForTimeout(100);
  const {
    ready = Number.NaN,
    numbers = Number.NaN,
    chart = Number.NaN,
  } = await frame.evaluate(() => benchMarks);
  const { pressed = Number.NaN } = await page.evaluate(() => benchMarks);
  return { wholeMs: chart - pressed, readyMs: chart - ready, numbersMs: numbers - ready };
}

export interface Wanted {
  /** Selector of the element to click, or to type into. */
  readonly at: string;
  readonly type?: string;
  /** Selector of the expected element. */
  readonly see: string;
  /** Text that it must contain. */
  readonly text?: string;
}

/** Milliseconds from a click or typed text to the end of the frame that shows the expected element. */
export async function timeToSee(frame: Frame, wanted: Wanted): Promise<number> {
  return await frame.evaluate(
    ({ at, type, see, text }) =>
      new Promise<number>((resolve, reject) => {
        const target = document.querySelector<HTMLElement>(at);
        if (target === null) return reject(new Error(`There is no ${at}.`));
        const startedAt = performance.now();
        const look = (): void => {
          const isSeen = [...document.querySelectorAll(see)].some(
            (one) => text === undefined || (one.textContent ?? "").includes(text),
          );
          if (isSeen) setTimeout(() => resolve(performance.now() - startedAt));
          else if (performance.now() - startedAt > 30_000) reject(new Error(`No ${see} came.`));
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
        if (type === undefined) return target.click();
        (target as HTMLInputElement).value = type;
        target.dispatchEvent(new Event("input", { bubbles: true }));
      }),
    wanted,
  );
}

export interface Scrolled {
  readonly frames: number;
  /** Number of frames in which part of the table had no rows. */
  readonly blank: number;
}

/** Watches the table while `scroll` turns the wheel. */
export async function scrollBlanks(frame: Frame, scroll: () => Promise<void>): Promise<Scrolled> {
  await frame.evaluate(() => {
    const page = globalThis as unknown as Record<string, unknown>;
    const grid = document.querySelector<HTMLElement>(".grid");
    if (grid === null) throw new Error("There is no table.");
    const seen = { frames: 0, blank: 0, isOn: true };
    page["benchScroll"] = seen;
    let before = grid.scrollTop;
    const check = (): void => {
      const { top, bottom } = grid.getBoundingClientRect();
      const rows = [...grid.querySelectorAll(".grid-row")].map((row) =>
        row.getBoundingClientRect(),
      );
      const head = grid.querySelector(".grid-head")?.getBoundingClientRect().bottom ?? top;
      const first = Math.min(...rows.map((row) => row.top));
      const last = Math.max(...rows.map((row) => row.bottom));
      if (grid.scrollTop !== before) {
        before = grid.scrollTop;
        seen.frames += 1;
        if (first > head + 1 || last < bottom - 1) seen.blank += 1;
      }
      if (seen.isOn) requestAnimationFrame(() => setTimeout(check));
    };
    requestAnimationFrame(() => setTimeout(check));
  });
  await scroll();
  return await frame.evaluate(() => {
    const page = globalThis as unknown as { readonly benchScroll: Scrolled & { isOn: boolean } };
    page.benchScroll.isOn = false;
    return page.benchScroll;
  });
}
