/** VS Code's window for end-to-end tests, located by what users see, not by our code. */

import type { FrameLocator, Locator, Page } from "playwright-core";

/** Theme labels as shown in the palette. */
const THEMES = {
  dark: "Dark Modern",
  light: "Light Modern",
  "hc-dark": "Dark High Contrast",
  "hc-light": "Light High Contrast",
} as const;

export type Theme = keyof typeof THEMES;

const THEME_CLASS: Readonly<Record<Theme, string>> = {
  dark: "vs-dark",
  light: "vs",
  "hc-dark": "hc-black",
  "hc-light": "hc-light",
};

const TRY_MS = 3000;
const TRIES = 5;
/** What a command opens may have to be loaded first. */
const OPEN_MS = 15_000;

export class Workbench {
  readonly page: Page;
  /** Palette, quick open, and quick picks share this box. */
  readonly input: Locator;
  readonly rows: Locator;

  constructor(page: Page) {
    this.page = page;
    this.input = page.locator(".quick-input-widget input.input");
    this.rows = page.locator(".quick-input-list .monaco-list-row");
  }

  /** Waits until extensions' commands and views exist. */
  async ready(): Promise<void> {
    const mark = "code/didLoadExtensions";
    await this.page.waitForFunction((name) => performance.getEntriesByName(name).length > 0, mark, {
      timeout: 60_000,
    });
    await this.page.locator(".monaco-workbench .activitybar").waitFor();
  }

  /**
   * Runs a command from the palette by its full title, such as `Tinker RL: Start Training`. Retries until a quick pick or view has
   * `opened`, because on a busy machine a late focus may close it.
   */
  async command(title: string, opened?: Locator): Promise<void> {
    await this.#untilItWorks(async () => {
      await this.page.keyboard.press("F1");
      await this.input.fill(`>${title}`, { timeout: TRY_MS });
      await this.#paletteRow(title).click({ timeout: TRY_MS });
      await opened?.waitFor({ timeout: OPEN_MS });
    });
  }

  /** The titles that the palette offers for `text`, as many as are visible; closes it afterwards. */
  async offered(text: string): Promise<readonly string[]> {
    await this.#untilItWorks(async () => {
      await this.page.keyboard.press("F1");
      await this.input.fill(`>${text}`, { timeout: TRY_MS });
      await this.rows.first().waitFor({ timeout: TRY_MS });
    });
    const labels = await this.rows.locator(".label-name").allInnerTexts();
    await this.page.keyboard.press("Escape");
    await this.input.waitFor({ state: "hidden" });
    return labels;
  }

  /** Selects a row of the open quick pick. */
  async pick(text: string): Promise<void> {
    await this.rows.filter({ hasText: text }).first().click();
  }

  /** Fills in the open input box. */
  async answer(text: string): Promise<void> {
    await this.input.fill(text);
    await this.page.keyboard.press("Enter");
  }

  /** Opens a file of the folder in a text editor. */
  async open(file: string): Promise<void> {
    await this.#untilItWorks(async () => {
      await this.page.keyboard.press("Control+P");
      await this.input.fill(file, { timeout: TRY_MS });
      await this.rows.filter({ hasText: file }).first().click({ timeout: TRY_MS });
    });
    await this.tab(file).waitFor();
    await this.page.locator(".editor-instance .view-lines").first().waitFor();
  }

  /** The tab of the active editor. */
  tab(title: string): Locator {
    return this.page.locator(".tabs-container .tab.active", { hasText: title });
  }

  /** A container's icon in the activity bar. */
  container(title: string): Locator {
    return this.page.locator(`.activitybar .action-label[aria-label^="${title}"]`);
  }

  /** Opens a container in the side bar. Clicking an open one would close it, even if the window is just restoring it. */
  async show(title: string): Promise<void> {
    const heading = this.page.locator(".part.sidebar .composite.title", { hasText: title });
    if (await heading.isVisible()) return;
    for (let click = 0; click < 3; click += 1) {
      await this.container(title).click();
      if (await appears(heading, 10_000)) return;
    }
    await heading.waitFor();
  }

  /** The side bar view with this name: heading, rows, and welcome text. */
  view(name: string): Locator {
    return this.page
      .locator(".part.sidebar .split-view-view")
      .filter({ has: this.page.locator(`.pane-header[aria-label^="${name}"]`) });
  }

  /** Opens a collapsed view. */
  async unfold(name: string): Promise<void> {
    const header = this.view(name).locator(".pane-header");
    if ((await header.getAttribute("aria-expanded")) !== "true") await header.click();
  }

  /** Expands a collapsed row; again if the tree was redrawn under the click. */
  async expand(row: Locator): Promise<void> {
    const expanded = row.and(this.page.locator('[aria-expanded="true"]'));
    for (let click = 0; click < 3; click += 1) {
      if (await expanded.isVisible()) return;
      await row.locator(".monaco-tl-twistie").click();
      if (await appears(expanded, 5_000)) return;
    }
    await expanded.waitFor();
  }

  /** Tree rows, located by their accessible name. */
  row(name: string | RegExp): Locator {
    return this.page.getByRole("treeitem", { name });
  }

  /** Changes the color theme immediately, as a user would. */
  async theme(theme: Theme): Promise<void> {
    const label = THEMES[theme];
    await this.command("Preferences: Color Theme");
    await this.input.fill(label);
    await this.rows.filter({ hasText: label }).first().click();
    await this.input.waitFor({ state: "hidden" });
    await this.page.waitForFunction(
      (name) => document.querySelector(".monaco-workbench")?.classList.contains(name),
      THEME_CLASS[theme],
    );
  }

  async reload(): Promise<void> {
    await this.page.evaluate(() => document.body.setAttribute("data-before-reload", ""));
    // The page may close before the click is confirmed.
    await this.command("Developer: Reload Window").catch(() => undefined);
    await this.page.waitForFunction(() => !document.body.hasAttribute("data-before-reload"));
    await this.ready();
  }

  /** VS Code's own measurement, in milliseconds, of loading and activating an extension, and what activated it. */
  async activation(id: string): Promise<{ load: number; activate: number; event: string }> {
    await this.command("Developer: Startup Performance");
    await this.tab("Startup Performance").waitFor();
    const line = this.page.locator(".editor-group-container.active .view-line").first();
    // The report's text arrives in two parts.
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await line.click();
      await this.page.keyboard.press("Control+A");
      await this.page.keyboard.press("Control+C");
      const report = await this.page.evaluate(() => navigator.clipboard.readText());
      const cells = report.split("\n").find((row) => row.startsWith(`| ${id} `));
      const [, , , load, activate, , event] = (cells ?? "").split("|").map((cell) => cell.trim());
      if (event !== undefined) {
        await this.command("View: Close Editor");
        return { load: Number(load), activate: Number(activate), event };
      }
      await this.page.waitForTimeout(250);
    }
    throw new Error(`The start-up report does not name ${id}.`);
  }

  notification(text: string): Locator {
    return this.page.locator(".notification-toast", { hasText: text }).first();
  }

  /** A modal dialog. */
  dialog(): Locator {
    return this.page.locator(".monaco-dialog-box");
  }

  statusItem(text: string): Locator {
    return this.page.locator(".statusbar-item", { hasText: text });
  }

  problems(): Locator {
    return this.page.locator(".markers-panel");
  }

  suggestion(text: string): Locator {
    return this.page.locator(".suggest-widget.visible .monaco-list-row", { hasText: text }).first();
  }

  /** The text of the active terminal. */
  terminal(): Locator {
    return this.page.locator(".terminal-wrapper.active .xterm-rows");
  }

  /** Selects a terminal in the list that VS Code shows when there are at least two. */
  async showTerminal(title: string): Promise<void> {
    const entry = this.page.locator(".terminal-tabs-entry", { hasText: title }).first();
    // Hovering shows buttons at the row's end.
    await entry.click({ position: { x: 24, y: 8 } });
    await this.page
      .locator(".terminal-tabs-entry")
      .locator("xpath=ancestor::*[contains(@class, 'selected')]")
      .filter({ hasText: title })
      .waitFor();
  }

  /** The active terminal's full contents, including scrolled-out text. Uses the clipboard. */
  async terminalText(): Promise<string> {
    await this.page.evaluate(() => navigator.clipboard.writeText(""));
    await this.command("Terminal: Select All");
    await this.command("Terminal: Copy Selection");
    const read = (): Promise<string> => this.page.evaluate(() => navigator.clipboard.readText());
    for (let left = TRIES; left > 0 && (await read()) === ""; left -= 1) {
      await this.page.waitForTimeout(200);
    }
    await this.command("Terminal: Clear Selection");
    return await read();
  }

  /** The extension's page in an editor: our frame within VS Code's frame. */
  panel(): FrameLocator {
    return this.#panelHost().contentFrame().frameLocator("#active-frame");
  }

  /** The frame of {@link panel} for scripts such as axe, which run in it despite its content security policy. */
  async panelFrame() {
    const inner = await this.#panelHost().contentFrame().locator("#active-frame").elementHandle();
    const frame = await inner?.contentFrame();
    if (frame == null) throw new Error("The web view has no page.");
    return frame;
  }

  #panelHost(): Locator {
    return this.page.locator('iframe.webview.ready:not([src*="purpose="]):visible');
  }

  /** Palette rows are matched by their full title, because the first row is often another, similar command. */
  #paletteRow(title: string): Locator {
    const row = ".quick-input-list .monaco-list-row";
    return this.page
      .locator(`${row}[aria-label="${title}"], ${row}[aria-label^="${title}, "]`)
      .first();
  }

  /** Retries if the box was still closing or the command was not registered yet. */
  async #untilItWorks(attempt: () => Promise<void>): Promise<void> {
    for (let left = TRIES - 1; ; left -= 1) {
      try {
        return await attempt();
      } catch (error) {
        await this.page.keyboard.press("Escape");
        if (left === 0) throw error;
      }
    }
  }
}

/** Returns true if something becomes visible within a time limit. */
export function appears(locator: Locator, timeout: number): Promise<boolean> {
  return locator.waitFor({ timeout }).then(
    () => true,
    () => false,
  );
}
