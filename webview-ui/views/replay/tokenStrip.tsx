/** The selected number over the positions of a token window, as thin bars. */

import { useEffect, useRef } from "preact/hooks";
import type { TokenWindow } from "../../../src/shared/dashboardTypes.ts";
import { canvasColor, themeVersion } from "../../charts/drawing/palette.ts";
import type { TokenScale } from "./tokenScale.ts";

const HEIGHT_PX = 44;

interface TokenStripProps {
  readonly window: TokenWindow;
  readonly scale: TokenScale;
  /** Highlighted index in the window. */
  readonly current: number;
}

/** Hidden from screen readers, because the tokens below have the same numbers. */
export function TokenStrip({ window, scale, current }: TokenStripProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = themeVersion.value;
  useEffect(() => {
    if (canvas.current !== null) draw(canvas.current, window, scale, current);
  }, [window, scale, current, theme]);
  return (
    <div aria-hidden="true">
      <canvas class="token-strip" ref={canvas} />
    </div>
  );
}

function draw(
  canvas: HTMLCanvasElement,
  window: TokenWindow,
  scale: TokenScale,
  current: number,
): void {
  const context = canvas.getContext("2d");
  if (context === null) return;
  const ratio = devicePixelRatio;
  canvas.width = Math.max(1, Math.floor(canvas.clientWidth * ratio));
  canvas.height = HEIGHT_PX * ratio;
  const count = window.ids.length;
  const width = canvas.width / Math.max(1, count);
  const base = scale.isDiverging ? canvas.height / 2 : canvas.height - 1;
  const height = scale.isDiverging ? canvas.height / 2 - 2 : canvas.height - 3;
  context.fillStyle = canvasColor("lines", 0.4);
  context.fillRect(0, base, canvas.width, 1);
  for (let index = 0; index < count; index += 1) {
    const level = window.mask[index] === 1 ? scale.level(index) : null;
    if (level === null) continue;
    context.fillStyle = canvasColor(level < 0 ? "orange" : "blue");
    const size = (level / 4) * height;
    context.fillRect(
      index * width,
      base - Math.max(0, size),
      Math.max(1, width * 0.8),
      Math.max(1, Math.abs(size)),
    );
  }
  context.fillStyle = canvasColor("strong");
  context.fillRect((current + 0.4) * width, 0, Math.max(1, ratio), canvas.height);
}
