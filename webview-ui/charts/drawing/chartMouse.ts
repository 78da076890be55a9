/** Mouse input of a line chart: a click opens what it hits; drags and the wheel zoom. */

import type uPlot from "uplot";
import type { Range } from "../../../src/shared/chartScale.ts";
import type { EvaluatedCell } from "../../model/evaluationCell.ts";
import type { ChartData } from "./chartData.ts";
import { type ChartMark, type EvaluationMark, SYMBOL_PX } from "./chartMarks.ts";
import { cutLabelAt, type EndLabel } from "./endLabels.ts";

/** How long a click waits for a second one, which resets the zoom. */
const DOUBLE_CLICK_MS = 250;
/** Movement beyond which a press counts as a drag. */
const DRAG_PX = 4;

/** Ranges that the user zoomed to; null = all. */
export interface ChartZoom {
  readonly x?: Range | null | undefined;
  readonly y?: Range | null | undefined;
}

/** What the person can do with a chart. */
export interface ChartActions {
  readonly zoom: (zoom: ChartZoom) => void;
  /** Opens the details of a row; absent if there are none. */
  readonly open?: (row: number) => void;
  readonly openCell?: (cell: EvaluatedCell) => void;
  /** Says what a click on an evaluation's mark does. */
  readonly hintOf?: (cell: EvaluatedCell) => string;
}

/** The current drawing. */
export interface Drawn {
  readonly data: () => ChartData;
  readonly labels: () => readonly EndLabel[];
  /** The data row at a position of the plot. */
  readonly rowAt: (position: number) => number;
}

/** Handlers that outlive a plot when it is rebuilt. */
export class ChartMouse {
  readonly #actions: () => ChartActions;
  readonly #drawn: Drawn;
  #picking: ReturnType<typeof setTimeout> | undefined;

  constructor(actions: () => ChartActions, drawn: Drawn) {
    this.#actions = actions;
    this.#drawn = drawn;
  }

  /** Listens on the whole chart because marks also lie to the right of the last value. */
  readonly listen = (plot: uPlot): void => {
    let downAt = 0;
    plot.root.addEventListener("mousedown", ({ clientX }) => {
      downAt = clientX;
    });
    plot.root.addEventListener("click", (event) => {
      clearTimeout(this.#picking);
      if (event.detail > 1 || Math.abs(event.clientX - downAt) >= DRAG_PX) return;
      this.#pick(plot, event);
    });
    plot.root.addEventListener("mousemove", (event) => {
      const mark = this.#markUnder(plot, event);
      plot.root.title =
        mark === null
          ? cutLabelAt(this.#drawn.labels(), positionIn(plot, event))
          : (this.#actions().hintOf?.(mark.cell) ?? "");
      plot.root.classList.toggle("on-mark", mark !== null);
    });
    plot.over.addEventListener("wheel", (event) => this.#roll(plot, event), { passive: false });
  };

  /** Turns the selection of a drag into the zoom range. */
  readonly select = (plot: uPlot): void => {
    const { left, top, width, height } = plot.select;
    const { drag } = plot.cursor;
    const isWide = drag?.x === true && width > DRAG_PX;
    const isHigh = drag?.y === true && height > DRAG_PX;
    const zoom: ChartZoom = {
      x: isWide ? [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")] : undefined,
      y: isHigh ? [plot.posToVal(top + height, "y"), plot.posToVal(top, "y")] : undefined,
    };
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (isWide || isHigh) this.#actions().zoom(zoom);
  };

  /** uPlot's bindings for drags and double clicks. */
  bindings(): NonNullable<uPlot.Cursor["bind"]> {
    return {
      mousedown: (plot, _, handler) => (event) => {
        const { drag } = plot.cursor;
        if (drag !== undefined) {
          drag.x = !event.shiftKey;
          drag.y = event.shiftKey || event.altKey;
        }
        handler(event);
        return null;
      },
      dblclick: () => () => {
        this.#actions().zoom({ x: null, y: null });
        return null;
      },
    };
  }

  /** Cancels a click that is still waiting for a second one. */
  forget(): void {
    clearTimeout(this.#picking);
  }

  #pick(plot: uPlot, event: MouseEvent): void {
    const mark = this.#markUnder(plot, event);
    const position = plot.over.contains(event.target as Node) ? plot.cursor.idx : null; // a click is on an element
    const later = (pick: () => void): void => {
      this.#picking = setTimeout(pick, DOUBLE_CLICK_MS);
    };
    if (mark !== null) later(() => this.#actions().openCell?.(mark.cell));
    else if (position != null) {
      const row = this.#drawn.rowAt(position);
      later(() => this.#actions().open?.(row));
    }
  }

  #markUnder(plot: uPlot, event: MouseEvent): EvaluationMark | null {
    return markAt(plot, this.#drawn.data().marks, positionIn(plot, event));
  }

  #roll(plot: uPlot, event: WheelEvent): void {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const centre = plot.posToVal(event.offsetX, "x");
    this.#actions().zoom(zoomStep(this.#drawn.data(), centre, event.deltaY > 0));
  }
}

/** The next zoom level, closer or `isOut`, around a horizontal value; `x` is null where that shows everything. */
export function zoomStep({ xs, xRange }: ChartData, centre: number, isOut: boolean): ChartZoom {
  const factor = isOut ? 1.25 : 0.8;
  const [first, last] = [xs[0] ?? 0, xs.at(-1) ?? 1];
  const low = Math.max(first, centre - (centre - xRange[0]) * factor);
  const high = Math.min(last, centre + (xRange[1] - centre) * factor);
  if (low <= first && high >= last) return { x: null };
  return { x: high > low ? [low, high] : xRange };
}

/** Relative to the top left corner of the plotting area, in CSS pixels. */
function positionIn({ over }: uPlot, { clientX, clientY }: MouseEvent) {
  const { left, top } = over.getBoundingClientRect();
  return { left: clientX - left, top: clientY - top };
}

/** Clicks this close to a symbol still hit it. */
const REACH_PX = 3;

/** The evaluation mark nearest to a position (CSS pixels from the corner of the plotting area); null if none is within reach. */
export function markAt(
  plot: Pick<uPlot, "valToPos" | "scales">,
  marks: readonly ChartMark[],
  { left, top }: { readonly left: number; readonly top: number },
): EvaluationMark | null {
  let nearest: EvaluationMark | null = null;
  let least = SYMBOL_PX + REACH_PX;
  for (const mark of marks) {
    if (mark.kind !== "evaluation" || !isWithin(plot, "x", mark.x)) continue;
    if (!isWithin(plot, "y", mark.y)) continue;
    const right = plot.valToPos(mark.x, "x") + mark.shift - left;
    const distance = Math.hypot(right, plot.valToPos(mark.y, "y") - top);
    if (distance > least) continue;
    nearest = mark;
    least = distance;
  }
  return nearest;
}

function isWithin({ scales }: Pick<uPlot, "scales">, axis: "x" | "y", value: number): boolean {
  const { min, max } = scales[axis] ?? {};
  return value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY);
}
