/** A sample of a series beside its name: the line with its own dashes, so that color is never the only difference. */

import type { SeriesLook } from "../charts/drawing/chartData.ts";
import { symbolAt } from "../charts/drawing/chartMarks.ts";
import { lineColor, themeVersion } from "../charts/drawing/palette.ts";

const WIDTH = 26;
const HEIGHT = 12;

export function Swatch({ look, color: name, dash, symbol = 0 }: SeriesLook) {
  // Redraws when the theme changes.
  const color = themeVersion.value < 0 ? "" : lineColor(name);
  if (look === "band" || look === "outer-band") {
    return <span class="swatch" data-look={look} style={{ color }} />;
  }
  return (
    <svg class="swatch-line" width={WIDTH} height={HEIGHT} aria-hidden="true">
      {look === "symbol" ? (
        <path
          fill={color}
          d={symbolAt(symbol)}
          transform={`translate(${WIDTH / 2} ${HEIGHT / 2}) scale(5)`}
        />
      ) : (
        <line
          x1={0}
          x2={WIDTH}
          y1={HEIGHT / 2}
          y2={HEIGHT / 2}
          stroke={color}
          stroke-width={look === "faint" ? 1 : 2}
          stroke-dasharray={dash?.join(" ")}
        />
      )}
    </svg>
  );
}
