/** Accessibility checks of our own pages. VS Code's own pages are excluded, because we cannot repair their faults. */

import { readFileSync } from "node:fs";
import type { Frame } from "playwright-core";

interface Violation {
  readonly impact: string;
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

/**
 * axe-core's findings in a web view, one line per rule. Web view pages may be transparent, which axe treats as white, so the page
 * gets the background color of the editor.
 */
export async function accessibilityFaults(
  frame: Frame,
  background = "--vscode-editor-background",
): Promise<readonly string[]> {
  // Waits for color transitions between themes.
  await frame.evaluate(async () => {
    const fades = document.getAnimations().filter((each) => each instanceof CSSTransition);
    await Promise.all(fades.map(({ finished }) => finished.catch(() => {})));
  });
  await frame.evaluate(readFileSync("node_modules/axe-core/axe.min.js", "utf8"));
  const violations = await frame.evaluate(async (color): Promise<readonly Violation[]> => {
    const before = document.body.style.backgroundColor;
    document.body.style.backgroundColor = `var(${color})`;
    // Added by the script above.
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: readonly Violation[] }> };
    };
    const found = await axe.run();
    document.body.style.backgroundColor = before;
    return found.violations;
  }, background);
  return violations.map(
    ({ impact, id, nodes }) =>
      `${impact} ${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}
