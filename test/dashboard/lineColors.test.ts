/** The line colors in the themes of the browser, which are VS Code's own. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import {
  contrast,
  MIN_CONTRAST,
  parseColor,
  readableOn,
} from "../../webview-ui/charts/contrast.ts";

const names = ["blue", "orange", "green", "purple", "yellow", "red"];
const styles = readFileSync("webview-ui/styles/browser.css", "utf8").split(/:root \{/);
const lines = [styles[1] ?? "", styles[2] ?? ""].flatMap((style, index) => {
  const contrasts = ["", "high contrast, "][index];
  return ["light", "dark"].flatMap((scheme, at) => {
    const colorOf = (name: string): string => {
      const found = new RegExp(`--vscode-${name}: light-dark\\((.*), (.*)\\);`).exec(style);
      return found?.[at + 1] ?? "";
    };
    const background = colorOf("editor-background");
    return names.map((name) => [
      `${contrasts}${scheme}`,
      name,
      colorOf(`charts-${name}`),
      background,
    ]);
  });
});

it.each(lines)("have a contrast of 3 in the theme %s: %s", (_, __, line, background) => {
  const [color, back] = [parseColor(line ?? ""), parseColor(background ?? "")];
  if (color === null || back === null) throw new Error("The theme names both.");
  for (const share of [1, 0.45]) {
    const drawn = readableOn([...color.slice(0, 3), color[3] * share] as never, back);
    expect(contrast(drawn, back)).toBeGreaterThanOrEqual(MIN_CONTRAST);
  }
});
