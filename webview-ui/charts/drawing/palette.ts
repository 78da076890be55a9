/** The theme's colors as a canvas takes them, and a signal that changes with the theme. */

import { type ReadonlySignal, signal } from "@preact/signals";
import { cssColor, parseColor, readableOn } from "../contrast.ts";

/** Series colors, each with a fallback for themes that do not define it. */
const SERIES = {
  blue: "var(--vscode-charts-blue, var(--vscode-textLink-foreground))",
  orange: "var(--vscode-charts-orange, var(--vscode-foreground))",
  green: "var(--vscode-charts-green, var(--vscode-foreground))",
  purple: "var(--vscode-charts-purple, var(--vscode-foreground))",
  yellow: "var(--vscode-charts-yellow, var(--vscode-foreground))",
  red: "var(--vscode-charts-red, var(--vscode-foreground))",
  text: "var(--vscode-descriptionForeground, var(--vscode-foreground))",
  strong: "var(--vscode-foreground)",
  lines: "var(--vscode-charts-lines, var(--vscode-foreground))",
  back: "var(--vscode-editor-background)",
} as const;

export type ColorName = keyof typeof SERIES;

const version = signal(0);
let probe: HTMLElement | null = null;
let known = new Map<string, string>();

/** Changes whenever the editor's theme does. */
export const themeVersion: ReadonlySignal<number> = version;

/** A color for lines and marks: like {@link canvasColor}, but with enough contrast to the editor's background in every theme. */
export function lineColor(name: ColorName, share = 1): string {
  const key = `line ${name} ${share}`;
  const present = known.get(key);
  if (present !== undefined) return present;
  const [color, background] = [parseColor(canvasColor(name)), parseColor(canvasColor("back"))];
  if (color === null || background === null) return canvasColor(name, share);
  // Ignores the theme's own alpha: some themes define chart colors as transparent overlays.
  const [red, green, blue] = color;
  const readable = cssColor(readableOn([red, green, blue, share], background));
  known.set(key, readable);
  return readable;
}

/** A CSS color for a canvas; `share` is its opacity, 0 to 1. */
export function canvasColor(name: ColorName, share = 1): string {
  const key = `${name} ${share}`;
  const present = known.get(key);
  if (present !== undefined) return present;
  const color = resolve(
    `color-mix(in srgb, ${SERIES[name]} ${Math.round(share * 100)}%, transparent)`,
  );
  known.set(key, color);
  return color;
}

/** True in the editor's high-contrast themes, where color must not be the only cue. */
export function isHighContrast(): boolean {
  const { classList } = document.body;
  return (
    classList.contains("vscode-high-contrast") ||
    classList.contains("vscode-high-contrast-light") ||
    matchMedia("(forced-colors: active)").matches
  );
}

/** Watches for theme changes. Call once. */
export function watchTheme(): void {
  const observer = new MutationObserver(() => {
    known = new Map();
    version.value += 1;
  });
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["style"] });
  observer.observe(document.body, { attributes: true, attributeFilter: ["class"] });
}

/** Lets the browser compute the color, because a canvas cannot resolve CSS variables. */
function resolve(expression: string): string {
  if (probe === null) {
    probe = document.createElement("span");
    probe.hidden = true;
    // Forced colors would drop the transparency and make all series look alike.
    probe.style.forcedColorAdjust = "none";
    document.body.append(probe);
  }
  probe.style.color = expression;
  return getComputedStyle(probe).color;
}
