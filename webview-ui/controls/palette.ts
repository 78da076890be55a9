/** The theme's colours in the form a canvas takes, and a signal that changes with the theme. */

import { type ReadonlySignal, signal } from "@preact/signals";
import { cssColour, parseColour, readableOn } from "../charts/contrast.ts";

/** Names of series colours; the second one stands in where a theme has none. */
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

export type ColourName = keyof typeof SERIES;

const version = signal(0);
let probe: HTMLElement | null = null;
let known = new Map<string, string>();

/** Changes whenever the editor's theme does. */
export const themeVersion: ReadonlySignal<number> = version;

/** A colour of lines and marks: as {@link canvasColour}, and with enough contrast to the editor's background in every theme. */
export function lineColour(name: ColourName, share = 1): string {
  const key = `line ${name} ${share}`;
  const present = known.get(key);
  if (present !== undefined) return present;
  const [colour, background] = [parseColour(canvasColour(name)), parseColour(canvasColour("back"))];
  if (colour === null || background === null) return canvasColour(name, share);
  // Some themes give colours that were made to lie over text, and are transparent.
  const [red, green, blue] = colour;
  const readable = cssColour(readableOn([red, green, blue, share], background));
  known.set(key, readable);
  return readable;
}

/** A CSS colour for a canvas; `share` from 0 to 1 is how much of it is seen. */
export function canvasColour(name: ColourName, share = 1): string {
  const key = `${name} ${share}`;
  const present = known.get(key);
  if (present !== undefined) return present;
  const colour = resolve(
    `color-mix(in srgb, ${SERIES[name]} ${Math.round(share * 100)}%, transparent)`,
  );
  known.set(key, colour);
  return colour;
}

/** True in the editor's high-contrast themes, where colour alone must carry no meaning. */
export function isHighContrast(): boolean {
  const { classList } = document.body;
  return (
    classList.contains("vscode-high-contrast") ||
    classList.contains("vscode-high-contrast-light") ||
    matchMedia("(forced-colors: active)").matches
  );
}

/** Notices changes of the theme. Call once. */
export function watchTheme(): void {
  const observer = new MutationObserver(() => {
    known = new Map();
    version.value += 1;
  });
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["style"] });
  observer.observe(document.body, { attributes: true, attributeFilter: ["class"] });
}

/** The browser computes it: a canvas knows no variables. */
function resolve(expression: string): string {
  if (probe === null) {
    probe = document.createElement("span");
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = expression;
  return getComputedStyle(probe).color;
}
