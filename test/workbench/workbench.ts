/** VS Code's window as journeys use it: by what a user sees, never by our code. */

import type { FrameLocator, Locator, Page } from "playwright-core";

/** Labels of the themes as the palette names them. */
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
/** What a command opens may have to be read first. */
const OPEN_MS = 15_000;

export class Workbench {
  readonly page: Page;
  /** The palette, quick open and quick picks share one box. */
  readonly input: Locator;
  readonly rows: Locator;

  constructor(page: Page) {
    this.page = page;
    this.input = page.locator(".quick-input-widget input.input");
    this.rows = page.locator(".quick-input-list .monaco-list-row");
  }

  /** Waits until commands and views of extensions exist. */
  async ready(): Promise<void> {
    const mark = "code/didLoadExtensions";
    await this.page.waitForFunction((name) => performance.getEntriesByName(name).length > 0, mark, {
      timeout: 60_000,
    });
    await this.page.locator(".monaco-workbench .activitybar").waitFor();
  }

  /**
   * Calls a command from the palette by its whole title, such as `Tinker RL: Start Training`; again until it has `opened` a quick
   * pick or a view, which a focus that comes late closes on a busy machine.
   */
  async command(title: string, opened?: Locator): Promise<void> {
    await this.#untilItWorks(async () => {
      await this.page.keyboard.press("F1");
      await this.input.fill(`>${title}`, { timeout: TRY_MS });
      await this.#paletteRow(title).click({ timeout: TRY_MS });
      await opened?.waitFor({ timeout: OPEN_MS });
    });
  }

  /** The titles that the palette offers for `text`, as many as fit into its box; leaves it closed. */
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

  /** Chooses a row of the quick pick that is open. */
  async pick(text: string): Promise<void> {
    await this.rows.filter({ hasText: text }).first().click();
  }

  /** Answers the input box that is open. */
  async answer(text: string): Promise<void> {
    await this.input.fill(text);
    await this.page.keyboard.press("Enter");
  }

  /** Opens a file of the folder by its name, in a text editor. */
  async open(file: string): Promise<void> {
    await this.#untilItWorks(async () => {
      await this.page.keyboard.press("Control+P");
      await this.input.fill(file, { timeout: TRY_MS });
      await this.rows.filter({ hasText: file }).first().click({ timeout: TRY_MS });
    });
    await this.tab(file).waitFor();
    await this.page.locator(".editor-instance .view-lines").first().waitFor();
  }

  /** The active editor's tab. */
  tab(title: string): Locator {
    return this.page.locator(".tabs-container .tab.active", { hasText: title });
  }

  /** The icon of a container in the activity bar. */
  container(title: string): Locator {
    return this.page.locator(`.activitybar .action-label[aria-label^="${title}"]`);
  }

  /** Opens a container in the side bar. A click on an open one closes it, also on one that a window restores at that moment. */
  async show(title: string): Promise<void> {
    const heading = this.page.locator(".part.sidebar .composite.title", { hasText: title });
    if (await heading.isVisible()) return;
    for (let click = 0; click < 3; click += 1) {
      await this.container(title).click();
      if (await appears(heading, 10_000)) return;
    }
    await heading.waitFor();
  }

  /** The view with this name in the side bar: heading, rows, welcome text. */
  view(name: string): Locator {
    return this.page
      .locator(".part.sidebar .split-view-view")
      .filter({ has: this.page.locator(`.pane-header[aria-label^="${name}"]`) });
  }

  /** Opens a view that is folded. */
  async unfold(name: string): Promise<void> {
    const header = this.view(name).locator(".pane-header");
    if ((await header.getAttribute("aria-expanded")) !== "true") await header.click();
  }

  /** Shows the rows below a row that is folded. */
  async expand(row: Locator): Promise<void> {
    if ((await row.getAttribute("aria-expanded")) !== "true") {
      await row.locator(".monaco-tl-twistie").click();
    }
  }

  /** Rows of trees, found by the text that a screen reader is given. */
  row(name: string | RegExp): Locator {
    return this.page.getByRole("treeitem", { name });
  }

  /** Changes the color theme at once, as a user does. */
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
    // The page may go before the click is confirmed.
    await this.command("Developer: Reload Window").catch(() => undefined);
    await this.page.waitForFunction(() => !document.body.hasAttribute("data-before-reload"));
    await this.ready();
  }

  /** Milliseconds that VS Code itself measured for loading and activating an extension, and what activated it. */
  async activation(id: string): Promise<{ load: number; activate: number; event: string }> {
    await this.command("Developer: Startup Performance");
    await this.tab("Startup Performance").waitFor();
    const line = this.page.locator(".editor-group-container.active .view-line").first();
    // The report's text comes in two parts.
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

  /** A modal question. */
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

  /** Chooses a terminal in the list beside, which VS Code shows as soon as there are two. */
  async showTerminal(title: string): Promise<void> {
    const entry = this.page.locator(".terminal-tabs-entry", { hasText: title }).first();
    // Buttons appear at its end under the pointer.
    await entry.click({ position: { x: 24, y: 8 } });
    await this.page
      .locator(".terminal-tabs-entry")
      .locator("xpath=ancestor::*[contains(@class, 'selected')]")
      .filter({ hasText: title })
      .waitFor();
  }

  /** Everything the active terminal holds, also what has scrolled away. Uses the clipboard. */
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

  /** The extension's page in an editor: a frame of VS Code's, and in it our own. */
  panel(): FrameLocator {
    return this.#panelHost().contentFrame().frameLocator("#active-frame");
  }

  /** The frame behind {@link panel}, for scripts such as axe: they run in it whatever its content security policy says. */
  async panelFrame() {
    const inner = await this.#panelHost().contentFrame().locator("#active-frame").elementHandle();
    const frame = await inner?.contentFrame();
    if (frame == null) throw new Error("The web view has no page.");
    return frame;
  }

  #panelHost(): Locator {
    return this.page.locator('iframe.webview.ready:not([src*="purpose="]):visible');
  }

  /** Palette rows are matched by their whole title: the first row is often another, similar command. */
  #paletteRow(title: string): Locator {
    const row = ".quick-input-list .monaco-list-row";
    return this.page
      .locator(`${row}[aria-label="${title}"], ${row}[aria-label^="${title}, "]`)
      .first();
  }

  /** Again when the box was still closing, or a command was not known yet. */
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

/** Whether something is shown within a time. */
export function appears(locator: Locator, timeout: number): Promise<boolean> {
  return locator.waitFor({ timeout }).then(
    () => true,
    () => false,
  );
}
