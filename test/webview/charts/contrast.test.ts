import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  contrast,
  LEAST_CONTRAST,
  parseColor,
  readableOn,
} from "../../../webview-ui/charts/contrast.ts";
import { environmentLook } from "../../../webview-ui/views/charts/environmentSeries.ts";
import { SMALL_CHARTS } from "../../../webview-ui/views/charts/smallChartSpecs.ts";

describe("colors of lines", () => {
  const names = ["blue", "orange", "green", "purple", "yellow", "red"];
  const themes = readFileSync("webview-ui/styles/browser.css", "utf8")
    .split(/:root \{/)
    .slice(1);
  const lines = themes.flatMap((theme, index) => {
    const colorOf = (name: string) => new RegExp(`--vscode-${name}: (.*);`).exec(theme)?.[1];
    const name = ["dark", "light", "high contrast, dark", "high contrast, light"][index];
    const background = colorOf("editor-background");
    return names.map((color) => [name, color, colorOf(`charts-${color}`), background]);
  });

  it.each(lines)("have a contrast of 3 in the theme %s: %s", (_, __, line, background) => {
    const [color, back] = [parseColor(line ?? ""), parseColor(background ?? "")];
    if (color === null || back === null) throw new Error("The theme names both.");
    for (const share of [1, 0.45]) {
      const drawn = readableOn([...color.slice(0, 3), color[3] * share] as never, back);
      expect(contrast(drawn, back)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
    }
  });

  it("have it in any theme, and stay as they are where they have it already", () => {
    const part = fc.integer({ min: 0, max: 255 });
    const anyColor = fc.tuple(part, part, part, fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(anyColor, fc.tuple(part, part, part, fc.constant(1)), (color, back) => {
        expect(contrast(readableOn(color, back), back)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
      }),
    );
    expect(readableOn([55, 148, 255, 1], [31, 31, 31, 1])).toEqual([55, 148, 255, 1]);
  });

  it("are never all that distinguishes two lines of a chart", () => {
    const environments = Array.from({ length: 8 }, (_, index) => environmentLook(index));
    expect(new Set(environments.map(({ dash }) => dash.join())).size).toBe(8);
    const many = Array.from({ length: 40 }, (_, index) => JSON.stringify(environmentLook(index)));
    expect(new Set(many).size).toBe(40);
    for (const { title, series } of SMALL_CHARTS) {
      const dashes = series.map(({ dash }) => dash?.join() ?? "");
      expect([title, new Set(dashes).size]).toEqual([title, series.length]);
    }
  });
});
