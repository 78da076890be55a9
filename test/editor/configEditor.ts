/** User actions in the text of a configuration: go to a position, hover, complete, apply a fix. */

import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { appears } from "../workbench/workbench.ts";
import type { Stage } from "./journey.ts";

const TRIES = 4;
const TRY_MS = 3000;

/** Puts the cursor at a position in the editor; line and column count from 1. */
export async function goTo(
  { workbench, page }: Stage,
  line: number,
  column: number,
): Promise<void> {
  await page.locator(".editor-group-container.active .editor-instance .view-lines").first().click();
  await page.keyboard.press("Control+G");
  await workbench.input.fill(`:${line}:${column}`);
  await page.keyboard.press("Enter");
  await workbench.input.waitFor({ state: "hidden" });
}

/** Opens the fixes at a position, and applies the one with this title. */
export async function fixAt(
  stage: Stage,
  line: number,
  column: number,
  title: string,
): Promise<void> {
  const { page } = stage;
  const fix = page.locator(".action-widget .monaco-list-row", { hasText: title }).first();
  await openAt(stage, [line, column], { key: "Control+.", shown: fix });
  await fix.click();
}

/** Opens the hover at the cursor and waits for a text in it. */
export async function hover({ page, workbench }: Stage, text: string): Promise<void> {
  await workbench.command("Show or Focus Hover");
  const shown = page.locator(".monaco-hover:not(.hidden)", { hasText: text }).first();
  await shown.waitFor();
  assert.ok(await shown.isVisible());
}

/** Opens the suggestions at a position and waits for one. */
export async function complete(
  stage: Stage,
  line: number,
  column: number,
  label: string,
): Promise<void> {
  const shown = stage.workbench.suggestion(label);
  await openAt(stage, [line, column], { key: "Control+Space", shown });
}

/** Presses a key repeatedly until the result appears: the editor may not have focus yet. */
async function openAt(
  stage: Stage,
  [line, column]: readonly [number, number],
  { key, shown }: { readonly key: string; readonly shown: Locator },
): Promise<void> {
  for (let left = TRIES; ; left -= 1) {
    await stage.page.keyboard.press("Escape");
    await goTo(stage, line, column);
    await stage.page.keyboard.press(key);
    if (left === 1) return shown.waitFor({ timeout: TRY_MS });
    if (await appears(shown, TRY_MS)) return;
  }
}
