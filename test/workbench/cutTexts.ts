/** Finds truncated texts on our own pages that users cannot read in full. */

import type { Frame } from "playwright-core";

/** Visible texts that end in an ellipsis and have no tooltip with the full text, each with its element. */
export async function cutTexts(frame: Frame): Promise<readonly string[]> {
  return await frame.evaluate(() => {
    const isCut = (element: Element): boolean =>
      getComputedStyle(element).textOverflow === "ellipsis" &&
      element.scrollWidth > element.clientWidth &&
      element.checkVisibility({ visibilityProperty: true });
    const hasTooltip = (element: Element): boolean => {
      const tooltip = element.closest("[title]")?.getAttribute("title") ?? "";
      const words = (text: string): string => text.replace(/\s+/g, "");
      return words(tooltip).includes(words(element.textContent ?? ""));
    };
    return [...document.querySelectorAll("body *")]
      .filter((element) => element.textContent !== "" && isCut(element) && !hasTooltip(element))
      .map(({ tagName, className, textContent }) => `${tagName}.${className}: ${textContent}`);
  });
}
