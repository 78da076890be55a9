/** Keeps lines readable in any theme: theme colors are made for other purposes, and some are dark or transparent. */

/** Red, green, and blue from 0 to 255; alpha from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number];

/** Minimum contrast for graphics in WCAG 2 (success criterion 1.4.11). */
export const MIN_CONTRAST = 3;
const SHADES = 24;
const BLACK: Color = [0, 0, 0, 1];
const WHITE: Color = [255, 255, 255, 1];

/** Parses a computed CSS color or a theme's hexadecimal one; null for anything else. */
export function parseColor(text: string): Color | null {
  const hex = /^#([\da-f]{6})([\da-f]{2})?$/i.exec(text);
  if (hex !== null) {
    const [, rgb = "", alpha = "ff"] = hex;
    const at = (start: number): number => Number.parseInt(rgb.slice(start, start + 2), 16);
    return [at(0), at(2), at(4), Number.parseInt(alpha, 16) / 255];
  }
  const [, kind, numbers = ""] = /^(rgba?|color)\((?:srgb )?([^)]*)\)$/.exec(text) ?? [];
  const [red, green, blue, alpha = 1] = numbers.split(/[\s,/]+/).map(Number);
  if (red === undefined || green === undefined || blue === undefined) return null;
  const scale = kind === "color" ? 255 : 1;
  const color: Color = [red * scale, green * scale, blue * scale, alpha];
  return color.some(Number.isNaN) ? null : color;
}

/** WCAG 2 contrast ratio of two opaque colors, from 1 to 21. */
export function contrast(a: Color, b: Color): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

/** `color` blended onto `background`, then moved toward white or black until its contrast is at least 3. */
export function readableOn(color: Color, background: Color): Color {
  const seen = mixed(background, color, color[3]);
  const pole = contrast(WHITE, background) > contrast(BLACK, background) ? WHITE : BLACK;
  for (let shade = 0; shade < SHADES; shade += 1) {
    const shaded = mixed(seen, pole, shade / SHADES);
    if (contrast(shaded, background) >= MIN_CONTRAST) return shaded;
  }
  return pole;
}

export function cssColor([red, green, blue, alpha]: Color): string {
  return `rgb(${red.toFixed(1)} ${green.toFixed(1)} ${blue.toFixed(1)} / ${alpha})`;
}

function mixed(from: Color, to: Color, share: number): Color {
  const at = (index: 0 | 1 | 2): number => from[index] + (to[index] - from[index]) * share;
  return [at(0), at(1), at(2), 1];
}

function luminance([red, green, blue]: Color): number {
  const linear = (value: number): number => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
