import { describe, expect, it } from "vitest";
import { chartSvg, chartsSvg, type SvgChart } from "../../src/shared/chartsSvg.ts";

const CHART: SvgChart = {
  title: 'Reward <of> "all"',
  xs: [0, 1, 2, 3],
  xRange: [0, 3],
  yRange: [0, 1],
  isLog: false,
  formatX: (value) => String(value + 1),
  formatY: String,
  bands: [],
  lines: [{ label: "a & b", color: "#123456", values: [0, Number.NaN, 0.5, 1] }],
};
const COLORS = { text: "#000", quiet: "#777", back: "#fff", font: "sans-serif" };

describe("a chart as SVG", () => {
  it("starts a new line segment after a gap", () => {
    const path = /<path d="([^"]*)" fill="none"/.exec(
      chartSvg(CHART, { width: 400, height: 200 }, COLORS),
    );
    expect(path?.[1]?.match(/M/g)).toHaveLength(2);
    expect(path?.[1]?.match(/L/g)).toHaveLength(1);
  });

  it("shows a value between two gaps as a point", () => {
    const lines = [{ label: "a", color: "#123456", values: [0, 0.5, Number.NaN, 1] }];
    const svg = chartSvg({ ...CHART, lines }, { width: 400, height: 200 }, COLORS);
    expect(svg.match(/<circle/g)).toHaveLength(1);
  });

  it("shows points with their intervals, and a point without one alone", () => {
    const lines = [
      {
        label: "held out",
        color: "#123456",
        values: [0.2, Number.NaN, 0.5, Number.NaN],
        intervals: {
          low: [0.1, Number.NaN, Number.NaN, Number.NaN],
          high: [0.3, Number.NaN, Number.NaN, Number.NaN],
        },
      },
    ];
    const svg = chartSvg({ ...CHART, lines }, { width: 400, height: 200 }, COLORS);
    expect(svg.match(/<circle/g)).toHaveLength(2);
    expect(svg.match(/stroke-width="1.25"/g)).toHaveLength(1);
  });

  it("shows no point outside its ranges", () => {
    const lines = [{ label: "a", color: "#123456", values: [0.5, Number.NaN, 0.5, Number.NaN] }];
    const drawn = (part: Partial<SvgChart>) =>
      chartSvg({ ...CHART, lines, ...part }, { width: 400, height: 200 }, COLORS).match(/<circle/g);
    expect(drawn({})).toHaveLength(2);
    expect(drawn({ xRange: [1, 3] })).toHaveLength(1);
    expect(drawn({ yRange: [0.6, 1] })).toBeNull();
  });

  it("has the same ticks on a logarithmic axis as pages, and labels that do not overlap", () => {
    const drawn = (yRange: SvgChart["yRange"], height: number) => {
      const chart = { ...CHART, lines: [], isLog: true, yRange };
      const svg = chartSvg(chart, { width: 400, height }, COLORS);
      const labels = svg.matchAll(/text-anchor="end"[^>]*>([^<]*)</g);
      return {
        lines: svg.match(/stroke-opacity="0.25"/g)?.length,
        labels: Array.from(labels, ([, label]) => label),
      };
    };
    expect(drawn([24.6, 70], 400)).toEqual({ lines: 5, labels: ["30", "40", "50", "60", "70"] });
    expect(drawn([8, 32], 400).labels).toEqual(["8", "9", "10", "20", "30"]);
    const small = drawn([0.01, 1], 120);
    expect(small.lines).toBe(19);
    expect(small.labels).toEqual(["0.01", "0.03", "0.1", "0.3", "1"]);
  });

  it("treats names as text, never as markup", () => {
    const svg = chartsSvg([{ ...CHART, isWide: true, height: 200 }], COLORS);
    expect(svg).toContain("Reward &lt;of&gt; &quot;all&quot;");
    expect(svg).toContain("a &amp; b");
  });
});
