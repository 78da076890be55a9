/** The built page of the runs table in a browser, over real run folders. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ExportedFile } from "../../src/shared/dashboardMessages.ts";
import { writeComparedRuns } from "../fakes/comparedRuns.ts";
import { folderOfAllTests } from "../fakes/onDisk.ts";
import { SWEPT, writeSweptRuns } from "../fakes/sweptRuns.ts";
import { accessibilityFaults } from "../workbench/accessibility.ts";
import { cutTexts } from "../workbench/cutTexts.ts";
import { openRunsPage, type RunsPage } from "./runsPage.ts";
import { showRunsViews } from "./runsViews.ts";
import { browserOfAllTests } from "./testBrowser.ts";
import { THEMES } from "./themes.ts";

const [dark] = THEMES;

describe("the page of the runs table", () => {
  const browser = browserOfAllTests();
  const folder = folderOfAllTests();
  let shown: RunsPage | null = null;

  beforeAll(async () => {
    writeComparedRuns(join(folder, "runs"), { count: 12, steps: 20, tasks: 8 });
    writeComparedRuns(join(folder, "many"), { count: 120, steps: 2, tasks: 2 });
    writeSweptRuns(join(folder, "swept"));
  });
  afterEach(async () => {
    await shown?.close();
    shown = null;
  });

  const open = async (layout?: string, theme = dark, runs = "runs"): Promise<RunsPage> => {
    const parent = join(folder, runs);
    shown = await openRunsPage(browser(), {
      parent,
      theme,
      ...(layout !== undefined && { layout }),
    });
    await shown.page.getByText(/reading/).waitFor({ state: "detached" });
    return shown;
  };
  const names = ({ page }: RunsPage): Promise<string[]> =>
    page.locator('.grid-row [data-column="name"]').allTextContents();

  it("sorts, filters, groups and keeps the arrangement", async () => {
    const first = await open();
    await first.page.getByRole("button", { name: /^Best/ }).click();
    await first.page.getByLabel("Filter runs").fill("learning_rate = 1e-4 reward.best > 0");
    await first.page.getByLabel("Group").selectOption("over seed");
    await expect.poll(() => names(first)).toHaveLength(3);
    await first.page.getByRole("button", { name: "Export CSV" }).click();
    await expect.poll(() => first.saved.length).toBe(1);
    const [head = "", ...rows] = first.saved[0]?.content.trim().split("\n") ?? [];
    const best = rows.map((row) => Number(row.split(",")[head.split(",").indexOf("reward.best")]));
    expect(best).toHaveLength(3);
    expect(best).toEqual(best.toSorted((a, b) => b - a));
    // Each of the three changes may be kept by itself; the last is kept with all of them.
    await expect.poll(() => first.layout()).toContain('"grouping":{');
    const kept = first.layout() ?? "";
    const before = await names(first);
    await first.close();
    const again = await open(kept);
    // The text of filters and sorting is parsed again.
    await vi.waitFor(async () => expect(await names(again)).toEqual(before), 10_000);
    expect(await again.page.getByLabel("Filter runs").inputValue()).toContain("1e-4");
  });

  it("draws the visible rows after a filter that matched nothing, too", async () => {
    const { page } = await open(undefined, dark, "many");
    const last = page.locator('[aria-rowindex="121"]');
    await page.getByRole("treegrid").focus();
    await page.keyboard.press("End");
    await last.waitFor();
    await page.getByLabel("Filter runs").fill("no run is called so");
    await page.getByText("No run matches").waitFor();
    await page.getByLabel("Filter runs").fill("");
    await page.locator('[aria-rowindex="2"]').waitFor();
    await page.getByRole("treegrid").focus();
    await page.keyboard.press("End");
    await last.waitFor();
  });

  it("works by keyboard alone: selects a range, opens a run, moves and resizes a column", async () => {
    const { page, opened, layout } = await open();
    await page.getByRole("treegrid").focus();
    for (const key of ["ArrowDown", " ", "Shift+ArrowDown", "Shift+ArrowDown"]) {
      await page.keyboard.press(key);
    }
    await page.getByText("3 chosen").waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => opened).toHaveLength(1);
    await page.getByRole("button", { name: /^Best/ }).focus();
    await page.keyboard.press("Alt+ArrowLeft");
    await page.keyboard.press("Shift+ArrowRight");
    const heads = (await page.locator(".grid-head").allTextContents()).join();
    expect(heads).toMatch(/Best of 5Reward/);
    await expect.poll(() => layout()).toContain('"reward.best":134');
  });

  it("compares runs, and exports the visible range as recorded", async () => {
    const shownPage = await open();
    const { page, saved, compared } = shownPage;
    for (const name of ["lr-1e-5-seed-1", "lr-1e-4-seed-1", "lr-1e-3-seed-1"]) {
      await page.getByRole("checkbox", { name: `Compare ${name}`, exact: true }).click();
    }
    await page.locator(".compare-chart canvas").first().waitFor();
    await page.getByRole("button", { name: "Log y" }).click();
    const save = async (what: RegExp): Promise<ExportedFile> => {
      const count = saved.length;
      await page.locator(".compare").getByRole("button", { name: "Export" }).click();
      await page.getByRole("menuitem", { name: what }).click();
      await expect.poll(() => saved.length).toBe(count + 1);
      const file = saved[count];
      if (file === undefined) throw new Error("Nothing was saved.");
      return file;
    };
    const { content } = await save(/CSV/);
    const [head = "", ...lines] = content.trim().split("\n");
    const columns = head.split(",");
    expect(lines).toHaveLength(60);
    for (const line of lines) {
      const [run = "", step = "", ...cells] = line.split(",");
      const path = join(folder, "runs", run, "metrics.jsonl");
      const row = JSON.parse(readFileSync(path, "utf8").split("\n")[Number(step) - 1] ?? "{}");
      expect(Number(cells[columns.indexOf("loss") - 2])).toBe(row.loss);
      expect(Number(cells[columns.indexOf("rollout/reward/mean") - 2])).toBe(
        row.rollout.reward.mean,
      );
    }
    const svg = (await save(/SVG/)).content;
    expect(svg.match(/<path [^>]*stroke=/g)?.length).toBe(3 * (columns.length - 2));
    expect(svg).toContain("lr-1e-5-seed-1");
    const png = await save(/PNG/);
    expect(Buffer.from(png.content, "base64").subarray(1, 4).toString()).toBe("PNG");
    await page.getByRole("tab", { name: "Configuration" }).click();
    await page.getByRole("button", { name: "Open diff" }).first().click();
    await expect.poll(() => compared.length).toBe(1);
  });

  it("shows the differences of other runs from a pinned baseline, and remembers it", async () => {
    const first = await open();
    for (const name of ["lr-1e-5-seed-1", "lr-1e-4-seed-1"]) {
      await first.page.getByRole("checkbox", { name: `Compare ${name}`, exact: true }).click();
    }
    const values = first.page.locator(".compare-chart").first().locator(".compare-values li");
    await values.nth(1).waitFor();
    const pin = { name: "Pin lr-1e-4-seed-1 as the baseline" };
    await first.page.getByRole("button", pin).click();
    await values.filter({ has: first.page.locator(".fact") }).waitFor();
    // The baseline is first.
    const shown = async (part: string) =>
      (await values.locator(part).allTextContents()).map(Number);
    const [[baseline = Number.NaN, value = Number.NaN], [difference = Number.NaN]] = [
      await shown("b"),
      await shown(".fact"),
    ];
    expect(value - baseline).toBeCloseTo(difference, 2);
    await first.page.getByRole("tab", { name: "Configuration" }).click();
    const heads = first.page.locator(".config-table thead th");
    await expect.poll(() => heads.nth(1).textContent()).toContain("1e-4");
    await expect.poll(() => first.layout()).toContain('"baseline":"');
    const kept = first.layout() ?? "";
    await first.close();
    const { page } = await open(kept);
    await expect
      .poll(() => page.getByRole("button", pin).getAttribute("aria-pressed"))
      .toBe("true");
  });

  it("gives the space of a short page to the charts once they are used, and moves charts by dragging", async () => {
    const { page, layout } = await open();
    await page.setViewportSize({ width: 1024, height: 560 });
    for (const name of ["lr-1e-5-seed-1", "lr-1e-4-seed-1"]) {
      await page.getByRole("checkbox", { name: `Compare ${name}`, exact: true }).click();
    }
    const titles = page.locator(".compare-chart h2");
    await titles.nth(1).waitFor();
    expect(await page.getByRole("treegrid").count()).toBe(1);
    const [first = "", second = ""] = await titles.allTextContents();
    await titles.nth(1).dragTo(titles.nth(0));
    await expect
      .poll(() => titles.allTextContents())
      .toEqual(expect.arrayContaining([second, first]));
    expect((await titles.allTextContents()).slice(0, 2)).toEqual([second, first]);
    await page.getByRole("button", { name: "Log y" }).click();
    await page.getByRole("treegrid").waitFor({ state: "detached" });
    await expect.poll(() => layout()).toContain('"isTableFolded":true');
    await page.getByRole("button", { name: "Show table" }).click();
    await page.getByRole("treegrid").waitFor();
  });

  it("keeps the run's name visible when scrolling", async () => {
    const { page } = await open();
    await page.setViewportSize({ width: 560, height: 560 });
    const name = page.locator('.grid-row [data-column="name"]').first();
    const before = await name.boundingBox();
    await name.hover();
    await page.mouse.wheel(400, 0);
    const star = page.locator('.grid-row [data-column="star"]').first();
    await expect.poll(async () => (await star.boundingBox())?.x).toBeLessThan(0);
    expect((await name.boundingBox())?.x).toBeLessThanOrEqual(before?.x ?? 0);
    expect((await name.boundingBox())?.x).toBeGreaterThan(40);
  });

  it("shows with one click which setting of a sweep mattered, and remembers that view", async () => {
    const first = await open(undefined, dark, "swept");
    await first.page.getByRole("button", { name: "Show sweep" }).click();
    await first.page.getByText(/^learning_rate mattered most: it explains \d+%/).waitFor();
    await first.page.getByText("1 run is left out").waitFor();
    const plots = first.page.locator(".sweep-plots h3");
    expect(await plots.first().textContent()).toBe("learning_rate");
    expect(await plots.count()).toBe(3);
    expect(await first.page.locator(".sweep-plots figure").first().locator("circle").count()).toBe(
      SWEPT.runs - 1,
    );
    await first.page.getByLabel("Result").selectOption("reward.best");
    await expect.poll(() => first.layout()).toContain('"sweepMetric":"reward.best"');
    const kept = first.layout() ?? "";
    await first.close();
    const again = await open(kept, dark, "swept");
    await again.page.getByText(/^learning_rate mattered most/).waitFor();
    expect(await again.page.getByLabel("Result").inputValue()).toBe("reward.best");
    await again.page.keyboard.press("Escape");
    await again.page.getByRole("treegrid").waitFor();
  });

  it("highlights one run of a sweep in all charts, by mouse and keyboard, and opens it", async () => {
    const { page, opened } = await open(undefined, dark, "swept");
    await page.locator('.grid-row [data-column="sweep"] button').first().click();
    // In a window that is too short, the view scrolls and shrinks nothing.
    const around = await page.getByRole("region", { name: "Runs of the sweep" }).boundingBox();
    const table = await page.locator(".sweep-table").boundingBox();
    expect(around?.height).toBeGreaterThanOrEqual(table?.height ?? Number.POSITIVE_INFINITY);
    const lit = page.locator('.sweep-plot [data-lit="true"]');
    await page.locator(".sweep-table button").nth(2).focus();
    await expect.poll(() => lit.count()).toBe(4);
    await page.keyboard.press("Enter");
    await expect.poll(() => opened).toHaveLength(1);
    await page.keyboard.press("Tab");
    const line = page.locator(".sweep-parallel .sweep-hit").last();
    const from = await line.evaluate((path) => {
      const { x, y } = (path as SVGPathElement).getPointAtLength(2);
      const { a, d, e, f } = (path as SVGPathElement).getScreenCTM() ?? new DOMMatrix();
      return { x: a * x + e, y: d * y + f };
    });
    await page.mouse.move(from.x, from.y);
    await expect.poll(() => lit.count()).toBe(4);
    await page.mouse.down();
    await page.mouse.up();
    await expect.poll(() => opened).toHaveLength(2);
  });

  it.each(THEMES)("shows a sweep accessibly in the theme $name", async (theme) => {
    const { page, faults } = await open(undefined, theme, "swept");
    await page.getByRole("button", { name: "Show sweep" }).click();
    await page.locator(".sweep-table button").nth(2).focus();
    expect(await accessibilityFaults(page.mainFrame())).toEqual([]);
    expect(await cutTexts(page.mainFrame())).toEqual([]);
    expect(faults).toEqual([]);
  });

  it.each(THEMES)("is accessible and cuts off no text in the theme $name", async (theme) => {
    const { page, faults } = await open(undefined, theme);
    await showRunsViews(page, async (name) => {
      expect(await accessibilityFaults(page.mainFrame()), name).toEqual([]);
      expect(await cutTexts(page.mainFrame()), name).toEqual([]);
    });
    expect(faults).toEqual([]);
  });
});
