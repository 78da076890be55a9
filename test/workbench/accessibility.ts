/** Accessibility of our own pages. Not of the workbench: VS Code's own pages have faults that we cannot repair. */

import { readFileSync } from "node:fs";
import type { Frame } from "playwright-core";

interface Violation {
  readonly impact: string;
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

/**
 * What axe-core finds in a web view, a line for each rule. The page of a web view may be transparent, which axe takes for white: it
 * gets the color that lies behind.
 */
export async function accessibilityFaults(
  frame: Frame,
  background = "--vscode-editor-background",
): Promise<readonly string[]> {
  // Colors fade from one theme to the next.
  await frame.evaluate(async () => {
    const fades = document.getAnimations().filter((each) => each instanceof CSSTransition);
    await Promise.all(fades.map(({ finished }) => finished.catch(() => {})));
  });
  await frame.evaluate(readFileSync("node_modules/axe-core/axe.min.js", "utf8"));
  const violations = await frame.evaluate(async (color): Promise<readonly Violation[]> => {
    const before = document.body.style.backgroundColor;
    document.body.style.backgroundColor = `var(${color})`;
    // The script above put it there.
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
