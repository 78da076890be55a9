/** Operates VS Code's window without a mouse. Every key waits for the required focus, since an early key would go elsewhere. */

import type { Locator, Page } from "playwright-core";
import { appears, type Workbench } from "./workbench.ts";

const TRIES = 5;
const MAX_ROWS = 300;

export class Keyboard {
  readonly #workbench: Workbench;
  readonly #page: Page;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
    this.#page = workbench.page;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
  }

  /** Runs a command from the palette by its full title. */
  async command(title: string): Promise<void> {
    const { input } = this.#workbench;
    for (let left = TRIES - 1; ; left -= 1) {
      try {
        await this.press("F1");
        await input.and(this.#page.locator(":focus")).waitFor({ timeout: 3000 });
        await this.type(title);
        await this.#choose((label) => label === title || label.startsWith(`${title}, `));
        return;
      } catch (error) {
        await this.press("Escape");
        if (left === 0) throw error;
      }
    }
  }

  /** Selects a row of the open quick pick. */
  async pick(text: string): Promise<void> {
    await this.#workbench.input.and(this.#page.locator(":focus")).waitFor();
    await this.#choose((label) => label.includes(text));
  }

  /** Focuses the rows of a view in the side bar. */
  async view(name: string): Promise<void> {
    const rows = this.#page.locator(".part.sidebar .monaco-list:focus");
    for (let left = TRIES - 1; ; left -= 1) {
      await this.command(`Tinker RL: Focus on ${name} View`);
      try {
        await rows.waitFor({ timeout: 5000 });
        return;
      } catch (error) {
        // A view that is still empty has no rows to focus.
        if (left === 0) throw error;
      }
    }
  }

  /** Moves down in the focused tree to the next row with a matching accessible name. */
  async row(name: RegExp): Promise<void> {
    const list = this.#page.locator(".part.sidebar .monaco-list:focus");
    const focused = list.locator(".monaco-list-row.focused");
    const seen: string[] = [];
    // A view that is still loading gets the focus before it has rows.
    await list.locator(".monaco-list-row").first().waitFor();
    for (let left = MAX_ROWS; left > 0; left -= 1) {
      const label = (await focused.count()) === 0 ? "" : await labelOf(focused);
      if (name.test(label)) return;
      seen.push(label);
      await this.press("ArrowDown");
    }
    throw new Error(`No row below has the name ${name}: ${[...new Set(seen)].join("; ")}`);
  }

  /** Expands the focused row; again if the tree was redrawn under the key. */
  async expand(): Promise<void> {
    const row = this.#page.locator(".part.sidebar .monaco-list:focus .monaco-list-row.focused");
    const expanded = row.and(this.#page.locator('[aria-expanded="true"]'));
    for (let left = TRIES - 1; ; left -= 1) {
      await this.press("ArrowRight");
      if (left === 0) return await expanded.waitFor();
      if (await appears(expanded, 5000)) return;
    }
  }

  /** Presses Tab until `target` has the focus, in the window or in a web view. */
  async tabTo(target: Locator, limit = 80): Promise<void> {
    for (let left = limit; left > 0; left -= 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await this.press("Tab");
    }
    throw new Error(`Tab does not lead to ${target}.`);
  }

  async #choose(fits: (label: string) => boolean): Promise<void> {
    const focused = this.#page.locator(".quick-input-list .monaco-list-row.focused");
    await focused.waitFor({ timeout: 3000 });
    for (let left = 30; left > 0; left -= 1) {
      if (fits(await labelOf(focused))) {
        await this.press("Enter");
        return;
      }
      await this.press("ArrowDown");
    }
    throw new Error("The list has no such row.");
  }
}

async function labelOf(row: Locator): Promise<string> {
  return (await row.first().getAttribute("aria-label", { timeout: 3000 })) ?? "";
}
