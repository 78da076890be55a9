/** The built page in a browser, over a real run folder. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { groupBy } from "../../src/shared/groupBy.ts";
import { HOSTILE_TEXT, writeHardRun } from "../server/dashboard/writtenRun.ts";
import { accessibilityFaults } from "../workbench/accessibility.ts";
import { cutTexts } from "../workbench/cutTexts.ts";
import { showRunPart } from "../workbench/dashboardPlaces.ts";
import { moveToMark } from "../workbench/findMark.ts";
import type { DashboardPage } from "./dashboardPage.ts";
import { pagesOfEachTest } from "./pagesOfEachTest.ts";
import { THEMES } from "./themes.ts";
import { showViews } from "./views.ts";

const [dark, light = dark] = THEMES;
/** Views that are checked in the other themes. */
const MAIN_VIEWS = ["overview", "replay", "tokens", "checkpoints", "config"];

const HARD_ROLLOUT = { tab: "rollouts", rollout: { group: 0, rollout: 0 } };

/** Records texts drawn on canvases, and those cut off at the edges. */
const RECORD_LABELS = `
  window.drawnLabels = [];
  window.cutLabels = [];
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
    const { width } = this.measureText(text);
    const share = { center: 0.5, right: 1, end: 1 }[this.textAlign] ?? 0;
    const left = this.getTransform().e + x - share * width;
    drawnLabels.push(text);
    if (left < 0 || left + width > this.canvas.width) cutLabels.push(text);
    return draw.call(this, text, x, y, ...more);
  };`;

/** Non-gray pixels of the reward chart. */
const COLORED_PIXELS = `{
  const canvas = document.querySelector(".reward canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = data.slice(at, at + 3);
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > 60) count += 1;
  }
  count;
}`;

describe("the dashboard page", () => {
  const { parent, fileSystem, open } = pagesOfEachTest();
  let folder = "";
  /** For tests that check every element. */
  let smallFolder = "";

  beforeAll(async () => {
    ({ folder } = await writeHardRun(fileSystem, parent, { rollouts: 2_000 }));
    const small = { rollouts: 24, tokens: 620 };
    smallFolder = (await writeHardRun(fileSystem, join(parent, "small"), small)).folder;
  });

  const viewOf = async (dashboard: DashboardPage): Promise<Readonly<Record<string, unknown>>> => {
    const kept = await dashboard.keptState();
    return (kept as { readonly view: Readonly<Record<string, unknown>> }).view;
  };

  it("has no axe-core findings, no cut-off text without a tooltip and no content policy violation, in any view and theme", async () => {
    const dashboard = await open({ folder: smallFolder });
    for (const theme of THEMES) {
      await dashboard.setTheme(theme);
      await showViews(dashboard.page, async (name) => {
        if (theme !== dark && !MAIN_VIEWS.includes(name)) return;
        const faults = await accessibilityFaults(dashboard.page.mainFrame());
        expect(faults, `${name} in ${theme.name}`).toEqual([]);
        expect(await cutTexts(dashboard.page.mainFrame()), name).toEqual([]);
      });
      await dashboard.page.keyboard.press("Escape");
      // Keys belong to the dialog until it is closed.
      await dashboard.page.locator("dialog").waitFor({ state: "detached" });
      await dashboard.page.keyboard.press("1");
    }
  }, 300_000);

  it("has colored charts, and shows the selection, under forced colors", async () => {
    const { page, setTheme } = await open({ folder: smallFolder });
    await page.emulateMedia({ forcedColors: "active" });
    await setTheme(light);
    await page.locator(".reward canvas").waitFor();
    await expect.poll(() => page.evaluate(COLORED_PIXELS)).toBeGreaterThan(100);
    const style = (place: Locator, name: string) =>
      place.evaluate((element, own) => getComputedStyle(element).getPropertyValue(own), name);
    const tab = (selected: boolean) => page.getByRole("tab", { selected }).first();
    expect(await style(tab(true), "border-bottom-width")).toBe("2px");
    expect(await style(tab(false), "border-bottom-width")).toBe("0px");
    await showRunPart(page, "Timeline");
    const part = (pressed: boolean) => page.locator(".run-head").getByRole("button", { pressed });
    const background = "background-color";
    expect(await style(part(true).first(), background)).not.toBe(
      await style(part(false).first(), background),
    );
    const share = page.locator(".timeline-shares > span").first();
    expect(await style(share, "forced-color-adjust")).toBe("none");
  });

  it("links every number: the tabs, then timeline, search and changes", async () => {
    const { page } = await open({ folder: smallFolder });
    const chosen = page.getByRole("tab", { selected: true });
    await page.locator(".reward canvas").waitFor();
    const places = [
      ["7", "Rollouts", page.getByRole("heading", { name: "What changed" })],
      ["2", "Rollouts", page.locator(".grid-row").first()],
      ["3", "Evaluations", page.locator(".evaluation-chart canvas")],
      ["5", "Run", page.locator(".timeline-row").first()],
      ["1", "Overview", page.locator(".sentence")],
      ["4", "Run", page.locator(".run-head")],
      ["6", "Rollouts", page.getByRole("searchbox", { name: "Search in rollouts" })],
    ] as const;
    for (const [key, tab, place] of places) {
      await page.keyboard.press(key);
      await place.waitFor();
      expect(await chosen.textContent(), key).toBe(tab);
    }
    await page.getByRole("searchbox", { name: "Search in rollouts" }).fill("answer");
    await page.getByLabel("Where to search").selectOption("In this list");
    expect(await page.locator("#rollout-filter").inputValue()).toBe("answer");
  });

  it("shows the progress of an evaluation next to the steps", async () => {
    const { page } = await open({ folder: smallFolder });
    await page.locator("header").getByText("evaluating 24 of 64").waitFor();
  });

  it("shows the current alarm in one line, with a button for its suggestion", async () => {
    const { page, commands } = await open({ folder: smallFolder });
    const strip = page.getByRole("region", { name: "Alarms" });
    await strip.getByText("step 19: 41% of the turns were cut off").waitFor();
    expect(await strip.getByRole("listitem").count()).toBe(1);
    expect(await strip.textContent()).not.toContain("its work is lost");
    await strip.getByRole("button", { name: "Set max_response_tokens to 96" }).click();
    expect(commands).toEqual([{ command: "applyAlarm", args: { name: "truncated_turns" } }]);
    await strip.getByRole("button", { name: "Show all (2)" }).click();
    expect(await strip.textContent()).toContain("its work is lost");
    expect(await strip.getByRole("listitem").count()).toBe(2);
  });

  it("shows the run's full sentence next to the alarm in windows from 700 pixels on", async () => {
    for (const width of [700, 900, 1100, 1280]) {
      const { page } = await open({ folder, width });
      const sentence = page.locator(".sentence");
      const cut = await sentence.evaluate((shown) => [
        shown.scrollWidth - shown.clientWidth,
        shown.scrollHeight - shown.clientHeight,
      ]);
      expect(cut).toEqual([0, 0]);
    }
  });

  it("shows all of the first alarm and of the chart's legend in narrow windows", async () => {
    const { page } = await open({ folder: smallFolder, width: 400 });
    await page.getByRole("button", { name: "evaluation, temperature 1" }).waitFor();
    for (const place of [".alarm-text", ".legend .curves", ".legend .marks"]) {
      const cut = await page
        .locator(place)
        .evaluate((shown) => shown.scrollWidth - shown.clientWidth);
      expect(cut, place).toBe(0);
    }
  });

  it("links an alarm to its metric around its step, and to the rollouts that caused it", async () => {
    const { page } = await open({ folder: smallFolder });
    const strip = page.getByRole("region", { name: "Alarms" });
    await strip.getByRole("button", { name: "Show chart" }).click();
    const evidence = page.getByRole("region", { name: "Many turns are cut off, from step 19 on" });
    await evidence.getByRole("figure", { name: "rollout/turn_truncated_frac" }).waitFor();
    expect(await accessibilityFaults(page.mainFrame())).toEqual([]);
    await evidence.getByRole("button", { name: "Show its rollouts" }).click();
    await page
      .getByText("Only rollouts that triggered the alarm “Many turns are cut off”")
      .waitFor();
    // No rollout of the last step was truncated, and those of the alarm's step were not stored.
    await page.getByRole("button", { name: "Follow latest" }).click();
    await page.getByText("“Many turns are cut off”: 0").waitFor();
    await expect.poll(() => page.locator(".alarm-filter").getAttribute("aria-busy")).toBe("false");
    expect(await page.locator(".grid-row").count()).toBe(0);
    expect(await accessibilityFaults(page.mainFrame())).toEqual([]);
    await page.getByRole("button", { name: "Show all", exact: true }).last().click();
    await expect.poll(() => page.getByRole("grid").getAttribute("aria-rowcount")).toBe("25");
  });

  it("shows hostile text as text: nothing runs, nothing loads, links open through the editor", async () => {
    const dashboard = await open({ folder, view: HARD_ROLLOUT });
    const { page, commands } = dashboard;
    const replay = page.getByRole("article", { name: "Replay" });
    await replay.locator(".markdown a").waitFor();
    expect(await replay.locator(".block").nth(2).textContent()).toContain(
      "<script>document.title='owned'</script>",
    );
    expect(await page.locator("#root script, #root img, #root iframe").count()).toBe(0);
    expect(await replay.locator(".sign").first().textContent()).toBe("ESC");
    expect(await replay.locator(".markdown").first().textContent()).toContain("‹U+202E›yltfel");

    const links = replay.locator(".markdown a");
    expect(await links.allInnerTexts()).toEqual(["site (https://example.test/a?b=c)"]);
    await links.first().click();
    await expect
      .poll(() => commands)
      .toEqual([{ command: "openLink", args: { url: "https://example.test/a?b=c" } }]);
    expect(page.url()).toBe("http://dashboard.test/index.html");
    expect(await page.title()).not.toBe("owned");
  });

  it("offers to chat with a checkpoint, and to continue from a turn if its tokens are stored", async () => {
    const { page, commands } = await open({ folder: smallFolder, view: HARD_ROLLOUT });
    const replay = page.getByRole("article", { name: "Replay" });
    const second = replay.locator('[data-turn="1"]');
    await second.getByRole("button", { name: "Continue from here" }).click();
    await expect.poll(() => commands).toHaveLength(1);
    expect(commands[0]).toMatchObject({
      command: "continueFromHere",
      args: { key: { source: "training", group: 0, rollout: 0 }, turn: 1 },
    });
    await page.getByRole("tab", { name: "Overview" }).click();
    await showRunPart(page, "Checkpoints");
    await page
      .getByRole("button", { name: /^Actions for / })
      .first()
      .click();
    await page.getByRole("menuitem", { name: "Chat with it…" }).click();
    await expect.poll(() => commands.at(-1)?.command).toBe("chatWithCheckpoint");
  });

  it("shows every entry of a checkpoint's menu, even for the last row of a short page", async () => {
    const { page, commands } = await open({
      folder: smallFolder,
      view: { tab: "run", runPart: "checkpoints" },
    });
    const size = { width: 700, height: 420 };
    await page.setViewportSize(size);
    const button = page.getByRole("button", { name: /^Actions for / }).last();
    await button.scrollIntoViewIfNeeded();
    await button.click();
    const entries = page.getByRole("menuitem");
    for (const entry of await entries.all()) {
      // A click that another element would receive fails.
      await entry.click({ trial: true });
      const box = await entry.boundingBox();
      expect(box?.y).toBeGreaterThanOrEqual(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(size.height);
    }
    for (const [label, command] of [
      ["Download weights…", "downloadCheckpoint"],
      ["Keep…", "keepCheckpoint"],
    ] as const) {
      if (!(await entries.first().isVisible())) await button.click();
      await page.getByRole("menuitem", { name: label }).click();
      await expect.poll(() => commands.at(-1)?.command).toBe(command);
    }
  });

  it("says why a rollout without tokens cannot be continued", async () => {
    const { page, commands } = await open({ folder: smallFolder });
    await page.getByRole("tab", { name: "Evaluations" }).click();
    await page.locator(".opens").last().click();
    await page.locator(".grid-row").last().click();
    const button = page.getByRole("button", { name: "Continue from here" }).first();
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await button.press("Enter");
    await page.getByRole("status").getByText("stored without tokens to continue from").waitFor();
    expect(commands).toEqual([]);
  });

  it("shows why a rollout failed below its facts, and displays right-to-left text as such", async () => {
    const { page } = await open({ folder: smallFolder });
    await page.getByRole("tab", { name: "Rollouts" }).click();
    await page.locator(".grid-row", { hasText: "failed" }).first().click();
    await page.locator(".replay-title").getByText("answered 503 three times").waitFor();
    const text = page.locator(".turns .plain-text:visible").first();
    const beginning = await text.evaluate((element) => {
      element.textContent = "ما هو مجموع ثلاثة وخمسة؟";
      const range = document.createRange();
      range.selectNodeContents(element);
      return element.getBoundingClientRect().right - range.getBoundingClientRect().right;
    });
    expect(beginning).toBeLessThan(2);
  });

  it("creates no active element, image, address or attribute from hostile Markdown", async () => {
    const { page, faults } = await open({ folder });
    const sources = [
      HOSTILE_TEXT,
      "![i](https://example.test/x.png) [d](data:text/html,x) [f](file:///etc/passwd) [c](command:do.it)",
      '<p onclick="x" style="color:red">y</p>\n\n| a |\n|:-:|\n| b |\n\n[l](https://a.test "title")',
    ];
    const found =
      await page.evaluate(`import("http://dashboard.test/markdown.js").then(({ renderMarkdown }) =>
      ${JSON.stringify(sources)}.flatMap((source) => [...renderMarkdown(source).querySelectorAll("*")].map((element) =>
        [element.tagName.toLowerCase(), ...element.getAttributeNames().map((name) => name + "=" + element.getAttribute(name))].join(" "))))`);
    const known = new Set(found as readonly string[]);
    expect([...known].filter((element) => element.includes("="))).toEqual([
      "a href=https://example.test/a?b=c",
      "a href=https://example.test/x.png",
      "a href=https://a.test",
    ]);
    expect(
      [...known].some((element) => /^(img|script|style|iframe|form|input)/.test(element)),
    ).toBe(false);
    // The browser reports each style that the content policy blocks.
    faults.length = 0;
  });

  it("zooms by dragging, resets on a double-click, and opens the step of a point", async () => {
    const dashboard = await open({ folder });
    const { page } = dashboard;
    const plot = page.locator(".reward .u-over");
    await plot.waitFor();
    const drag = async (from: readonly [number, number], to: readonly [number, number]) => {
      const box = await plot.boundingBox();
      if (box === null) throw new Error("The chart is not drawn.");
      const at = ([x, y]: readonly [number, number]) =>
        [box.x + x * box.width, box.y + y * box.height] as const;
      await page.mouse.move(...at(from));
      await page.mouse.down();
      await page.mouse.move(...at(to), { steps: 4 });
      await page.mouse.up();
    };
    await drag([0.25, 0.5], [0.75, 0.6]);
    await expect
      .poll(async () => (await viewOf(dashboard))["xRange"])
      .toEqual([expect.closeTo(6, 0), expect.closeTo(18, 0)]);
    expect((await viewOf(dashboard))["yRange"]).toBeNull();
    await page.keyboard.down("Shift");
    await drag([0.5, 0.25], [0.5, 0.75]);
    await page.keyboard.up("Shift");
    await expect.poll(async () => (await viewOf(dashboard))["yRange"]).not.toBeNull();
    await plot.dblclick();
    await expect
      .poll(async () => [(await viewOf(dashboard))["xRange"], (await viewOf(dashboard))["yRange"]])
      .toEqual([null, null]);
  });

  it("zooms with single keys, and leaves Ctrl combinations to the editor", async () => {
    const dashboard = await open({ folder: smallFolder });
    const { page } = dashboard;
    await page.locator(".reward .u-over").waitFor();
    await page.locator(".reward .plot").focus();
    const range = async () => (await viewOf(dashboard))["xRange"];
    await page.keyboard.press("=");
    await expect.poll(range).not.toBeNull();
    const zoomed = await range();
    await page.keyboard.press("Control+=");
    await page.keyboard.press("ArrowLeft");
    await page
      .locator(".reward .card-head")
      .getByText(/step \d+: mean/)
      .waitFor();
    expect(await range()).toEqual(zoomed);
    await page.keyboard.press("0");
    await expect.poll(range).toBeNull();
  });

  it("highlights one step in all charts of the page, and opens it on a click in any of them", async () => {
    const dashboard = await open({ folder: smallFolder });
    const { page } = dashboard;
    const charts = page.locator(".small");
    const pointing = async (step: number): Promise<void> => {
      await page.locator(".reward .card-head").getByText(`step ${step}: mean`).waitFor();
      const pointed = charts.filter({ has: page.getByText(`step ${step}`, { exact: true }) });
      await expect.poll(() => pointed.count()).toBe(await charts.count());
    };
    await charts.locator(".u-over").last().waitFor();
    await page.locator(".reward .u-over").hover();
    await pointing(12);
    const first = { position: { x: 2, y: 20 } };
    await charts.locator(".u-over").last().hover(first);
    await pointing(1);
    await charts.locator(".u-over").last().click(first);
    await expect
      .poll(async () => (await viewOf(dashboard))["rolloutSet"])
      .toEqual({ source: "training", step: 0 });
  });

  it("has one Tab stop for the chart settings, with arrow keys between them", async () => {
    const { page } = await open({ folder: smallFolder });
    const settings = page.getByRole("toolbar", { name: "Chart settings" });
    const focused = async (): Promise<string> =>
      await page.evaluate(
        "document.activeElement.closest('label')?.textContent ?? document.activeElement.textContent",
      );
    await settings.getByRole("button", { name: "Chart settings" }).press("Enter");
    await page.getByLabel("Smoothing").waitFor();
    await page.keyboard.press("ArrowRight");
    expect(await focused()).toContain("Smoothing");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    expect(await focused()).toBe("Log y");
    await page.keyboard.press("Tab");
    expect(await settings.locator(":focus").count()).toBe(0);
    await page.keyboard.press("Shift+Tab");
    expect(await focused()).toBe("Log y");
  });

  it("opens the samples behind an evaluation's cell, and the evaluation behind a mark on the chart", async () => {
    const dashboard = await open({ folder: smallFolder });
    const { page } = dashboard;
    const listed = page.locator(".filter-count");
    const step = page.locator(".step-navigator select");
    await page.getByRole("tab", { name: "Evaluations" }).click();
    await page.getByTitle("Evaluation after 20, local/calculator test, greedy").click();
    await listed.getByText("8 of 16").waitFor();
    expect(await step.inputValue()).toBe("evaluation/20");
    expect((await viewOf(dashboard))["filter"]).toMatchObject({ split: "", temperature: 0 });

    await page.getByRole("tab", { name: "Overview" }).click();
    await moveToMark(page.mouse, page, /Evaluation after 20/);
    await page.mouse.down();
    await page.mouse.up();
    await listed.getByText("8 of 16").waitFor();
    expect(await step.inputValue()).toBe("evaluation/20");
    expect((await viewOf(dashboard))["filter"]).toMatchObject({ split: "", temperature: 1 });
  });

  it("is navigable by keyboard from a step to a rollout, its reward, and a token's stored numbers", async () => {
    const { page } = await open({ folder });
    await page.locator(".reward canvas").waitFor();
    await page.keyboard.press("2");
    await page.locator(".grid-row").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.locator(".reward-footer").waitFor();
    expect(await page.locator(".replay h2").textContent()).toContain("group 1, rollout 1");
    const perToken = page.locator(".reward-footer dl > div", { hasText: "Per token" });
    expect(await perToken.locator("dd").textContent()).toContain("+0.5000 on average: +1.5000 by");
    expect(await page.locator(".turn").nth(2).locator(".turn-reward").textContent()).toMatch(
      /reward 0\.20\s*total 1\.20/,
    );
    await page.keyboard.press("]");
    await expect.poll(() => page.locator(".replay h2").textContent()).toContain("rollout 2");
    await page.keyboard.press("[");
    await expect.poll(() => page.locator(".replay h2").textContent()).toContain("rollout 1");
    await page.keyboard.press("t");
    await page.locator(".token-boxes").focus();
    for (let move = 0; move < 25; move += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    const details = await page.locator(".token-details").textContent();
    expect(details).toContain("502");
    expect(details).toContain("-2.00");
  });

  it("shows where a rollout continues in another token stream, and the tokens of each", async () => {
    const { page } = await open({ folder: smallFolder, view: HARD_ROLLOUT });
    const replay = page.getByRole("article", { name: "Replay" });
    await replay.locator(".reward-footer").waitFor();
    expect(await replay.locator(".replay-title").textContent()).toContain("3 token streams");
    expect(
      await replay.locator(".aligned:has(.stream-break) + .aligned .turn h3").allTextContents(),
    ).toEqual(["Turn 3", "Turn 4"]);
    await page.keyboard.press("t");
    const streams = page.getByLabel("Stream");
    await streams.waitFor();
    expect(await streams.locator("option").allTextContents()).toEqual([
      "1: turns 1 to 2",
      "3: turn 4",
    ]);
    await page.getByText("Tokens 1 to 620 of 620").waitFor();
    await streams.selectOption("3: turn 4");
    await page.getByText("Tokens 1 to 60 of 60").waitFor();
  });

  it("restores its state", async () => {
    const first = await open({ folder });
    await first.page.locator(".reward canvas").waitFor();
    await first.page.getByRole("button", { name: "Chart settings" }).click();
    await first.page.getByRole("button", { name: "Log y" }).click();
    await first.page.keyboard.press("2");
    await first.page.locator("#rollout-filter").fill("503");
    await first.page.locator(".grid-row").first().click();
    await first.page.locator(".reward-footer").waitFor();
    const state = await first.keptState();

    const { page } = await open({ folder, state: JSON.parse(JSON.stringify(state)) });
    await page.locator(".reward-footer").waitFor();
    expect(await page.locator("#rollout-filter").inputValue()).toBe("503");
    expect(await page.locator(".replay h2").textContent()).toContain("rollout 4");
    await page.keyboard.press("1");
    expect(await page.locator(".controls .fact").textContent()).toBe("Log y");
    await page.getByRole("button", { name: "Chart settings" }).click();
    expect(await page.getByRole("button", { name: "Log y" }).getAttribute("aria-pressed")).toBe(
      "true",
    );
  });

  it("finds a rollout by its messages", async () => {
    const { page } = await open({ folder });
    await page.locator(".reward canvas").waitFor();
    await page.keyboard.press("2");
    await page.locator(".grid-row").first().waitFor();
    await page.locator("#rollout-filter").fill("long result");
    await page.getByText("No rollout matches the filters.").waitFor();
    await page.getByLabel("Where to search").selectOption("In messages of this step");
    await expect.poll(() => page.getByRole("grid").getAttribute("aria-rowcount")).toBe("2");
  });

  it("accepts a number key by key, even if its prefix is another number or invalid", async () => {
    const dashboard = await open({ folder: smallFolder, view: { tab: "rollouts" } });
    const { page } = dashboard;
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    for (const written of ["-0.05", "0.50", "1.05"]) {
      const field = page.getByLabel("Reward from");
      await field.fill("");
      await field.pressSequentially(written);
      expect(await field.inputValue()).toBe(written);
      await expect
        .poll(async () => (await viewOf(dashboard))["filter"])
        .toMatchObject({ rewardLow: Number(written) });
    }
  });

  it("draws only the visible rows of a long list, and finds the last one immediately", async () => {
    const { page } = await open({ folder });
    await page.locator(".reward canvas").waitFor();
    await page.keyboard.press("2");
    await expect.poll(() => page.getByRole("grid").getAttribute("aria-rowcount")).toBe("2001");
    expect(await page.locator(".grid-row").count()).toBeLessThan(80);
    await page.getByRole("grid").focus();
    await page.keyboard.press("End");
    await page.locator('.grid-row[aria-rowindex="2001"]').waitFor();
  });

  it("moves tabs that do not fit into a menu, and shows the selected one", async () => {
    const { page } = await open({ folder: smallFolder });
    const tabs = page.locator(".tab-row [role=tab]");
    await tabs.nth(3).waitFor();
    const menu = page.getByRole("button", { name: "More views" });
    expect(await menu.count()).toBe(0);
    await page.setViewportSize({ width: 320, height: 700 });
    await menu.click();
    await page.getByRole("menuitem", { name: "Run", exact: true }).click();
    await page.locator('[role=tab][aria-selected="true"]', { hasText: "Run" }).waitFor();
    for (const tab of [...(await tabs.all()), menu]) {
      const box = await tab.boundingBox();
      expect((box?.x ?? 320) + (box?.width ?? 0)).toBeLessThanOrEqual(320);
    }
    await page.setViewportSize({ width: 700, height: 700 });
    await tabs.nth(3).waitFor();
    expect(await menu.count()).toBe(0);
  });

  it("scrolls wide tables, not the page", async () => {
    const { page } = await open({ folder: smallFolder });
    await page.locator(".reward canvas").waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    const width = (element: Element): number => element.scrollWidth - element.clientWidth;
    await page.keyboard.press("3");
    await page.locator(".evaluation-chart canvas").waitFor();
    const table = page.getByRole("region", { name: "Evaluations" });
    expect(await table.evaluate(width)).toBeGreaterThan(0);
    expect(await page.locator("html").evaluate(width)).toBe(0);
  });

  it("keeps the column headers of the rollouts apart, whatever they are sorted by", async () => {
    const { page } = await open({ folder, state: { view: { tab: "rollouts" } } });
    const heads = page.locator(".grid-head button");
    await heads.first().waitFor();
    for (const head of await heads.all()) {
      await head.click();
      // Headers that start before the end of the previous one.
      const met = await page.evaluate(`(() => {
        const ends = [...document.querySelectorAll(".grid-head button")].map((button) => {
          const content = document.createRange();
          content.selectNodeContents(button);
          return { name: button.textContent, ...content.getBoundingClientRect().toJSON() };
        });
        return ends.filter(({ left }, at) => left < (ends[at - 1]?.right ?? 0) + 4).map(({ name }) => name);
      })()`);
      expect(met).toEqual([]);
    }
  });

  it("scrolls the view, not the page", async () => {
    const { page } = await open({ folder: smallFolder });
    await page.locator(".reward canvas").waitFor();
    await page.setViewportSize({ width: 900, height: 500 });
    const height = (element: Element): number => element.scrollHeight - element.clientHeight;
    expect(await page.locator(".page").evaluate(height)).toBeGreaterThan(0);
    expect(await page.locator("html").evaluate(height)).toBe(0);
  });

  it("keeps the steps of a run next to its name, however long the name is", async () => {
    const { page } = await open({ folder: smallFolder });
    await page.locator(".header-progress .fact").waitFor();
    await page.locator(".run-picker option:checked").evaluate((option) => {
      option.textContent = "a-long-name-".repeat(12);
    });
    const picker = await page.locator(".run-picker").boundingBox();
    const list = await page.locator(".run-picker select").boundingBox();
    const last = await page.locator(".header-run > :last-child").boundingBox();
    const progress = await page.locator(".header-progress").boundingBox();
    expect(list?.width).toBe(picker?.width);
    expect(progress?.width).toBeGreaterThanOrEqual(220);
    expect((progress?.x ?? 0) - ((last?.x ?? 0) + (last?.width ?? 0))).toBeLessThan(40);
  });

  it("draws native controls for the theme, and highlights the selected tab", async () => {
    for (const theme of THEMES) {
      const { page } = await open({ folder: smallFolder, theme });
      const tab = page.getByRole("tab", { name: "Overview" });
      await tab.waitFor();
      const look = await tab.evaluate((element) => {
        const { colorScheme, borderBottomColor } = getComputedStyle(element);
        const row = element.closest(".tab-row");
        return {
          colorScheme,
          isApart: row !== null && getComputedStyle(row).borderBottomColor !== borderBottomColor,
        };
      });
      expect(look, theme.name).toEqual({ colorScheme: theme.media.colorScheme, isApart: true });
    }
  });

  it("has a header of constant height, whatever its numbers", async () => {
    const { page } = await open({ folder: smallFolder });
    const facts = page.locator(".header-progress .fact");
    const header = page.locator("header");
    await facts.waitFor();
    for (const width of [360, 700, 1200]) {
      await page.setViewportSize({ width, height: 700 });
      const before = await header.boundingBox();
      const shown = await facts.textContent();
      for (const text of ["", "5 s", `${shown} · $0.0001`]) {
        await facts.evaluate((element, next) => {
          element.textContent = next;
        }, text);
        const now = await header.boundingBox();
        expect(now?.height, `“${text}” in ${width} px`).toBe(before?.height);
      }
      await facts.evaluate((element, next) => {
        element.textContent = next;
      }, shown);
    }
  });

  it("aligns the plots of small charts in a row, whatever is above them", async () => {
    const { page } = await open({ folder: smallFolder });
    await page.locator(".small .u-over").last().waitFor();
    const places = (await page.evaluate(`[...document.querySelectorAll(".small")].map((card) =>
      [card, card.querySelector(".u-over")].map((each) => each.getBoundingClientRect().top))`)) as [
      card: number,
      plot: number,
    ][];
    const rows = groupBy(places, ([card]) => card);
    expect(rows.size).toBeGreaterThan(1);
    const starts = [...rows.values()].map((row) => new Set(row.map(([, plot]) => plot)).size);
    expect(starts).toEqual(starts.map(() => 1));
  });

  it("draws every metric of a metrics-only folder, and has no empty tab", async () => {
    const plain = join(parent, "plain");
    await mkdir(plain, { recursive: true });
    const names = ["train/loss", "train/grad_norm", "eval/acc", "lr", "throughput"];
    const rows = Array.from({ length: 3 }, (_, step) =>
      JSON.stringify({ step, ...Object.fromEntries(names.map((name) => [name, step])) }),
    );
    await writeFile(join(plain, "metrics.jsonl"), `${rows.join("\n")}\n`);
    const { page } = await open({ folder: plain });
    for (const name of names) await page.getByRole("figure", { name, exact: true }).waitFor();
    expect(await page.getByRole("tab").allTextContents()).toEqual(["Overview"]);
    expect(await page.getByRole("figure", { name: "Reward" }).count()).toBe(0);
    expect(await accessibilityFaults(page.mainFrame())).toEqual([]);
  });

  it("lists charts by section, with the drawn ones checked, and stores the selection", async () => {
    const { page, kept } = await open({ folder: smallFolder });
    await page.getByRole("button", { name: "Choose metrics" }).click();
    const box = (name: string) => page.getByRole("checkbox", { name, exact: true });
    const chart = (name: string) => page.getByRole("figure", { name, exact: true });
    const optimization = page.locator(".picker-list").getByRole("region", { name: "Optimization" });
    await optimization.getByRole("checkbox", { name: "Loss" }).waitFor();
    await page.getByRole("searchbox", { name: "Filter metrics" }).fill("norm|optim/lr");
    expect(await box("Gradient norm optim/grad_norm").isChecked()).toBe(true);
    await box("Gradient norm optim/grad_norm").uncheck();
    await box("optim/lr").check();
    expect([await chart("Gradient norm").count(), await chart("optim/lr").count()]).toEqual([0, 1]);
    const chosen = { pinnedMetrics: ["optim/lr"], hiddenCharts: ["optim/grad_norm"] };
    await expect.poll(kept).toMatchObject(chosen);
    await page.getByRole("button", { name: "Reset" }).click();
    await chart("Gradient norm").waitFor();
    await expect.poll(kept).toMatchObject({ pinnedMetrics: [], hiddenCharts: [] });
  });

  it("cuts off no axis label", async () => {
    const many = join(parent, "many");
    await mkdir(many, { recursive: true });
    const rows = Array.from({ length: 1_000 }, (_, step) => ({
      step,
      "rollout/reward/mean": 0.5,
      loss: 1.25e-7 * step,
      "optim/entropy": -0.00025 * step,
    }));
    await writeFile(
      join(many, "metrics.jsonl"),
      rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    );
    const { page } = await open({ folder: many, width: 700, atStart: RECORD_LABELS });
    await page.locator(".small canvas").nth(1).waitFor();
    await expect.poll(() => page.evaluate("drawnLabels")).toContain("1,000");
    expect(await page.evaluate("cutLabels")).toEqual([]);
  });

  it("exports numbers as they are stored", async () => {
    const { page, commands } = await open({ folder });
    await page.locator(".reward canvas").waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("menuitem", { name: "Numbers (CSV)" }).click();
    await expect.poll(() => commands.length).toBe(1);
    const { name, content } = commands[0]?.args.file ?? { name: "", content: "" };
    const [head, ...rows] = content.trim().split("\n");
    expect([name, head, rows.length]).toEqual([
      "reward.csv",
      expect.stringContaining(
        "step,reward mean,95% low,95% high,std of tasks,rollouts,std,min,max",
      ),
      24,
    ]);
  });
});
