/** `tinker-rl view` from the user's perspective: the program in a process, runs of the embedded engine, a browser. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { accessibilityFaults } from "../workbench/accessibility.ts";
import { browserOfAllTests } from "./testBrowser.ts";

const PROGRAM = resolve("dist/trainer/tinker-rl.js");
const CONFIG = `
model_name: local/tiny-tool
environments: { local/calculator: { splits: { train: {} }, num_rollouts: 8, nonterminal_reward: 0.5 } }
batch_size: 2
advantage_calculation: direct # a rollout with a reward is trained on, and so has tokens
max_steps: 400
`;

const browser = browserOfAllTests();
const folder = mkdtempSync(join(tmpdir(), "tinker-rl-view-"));
const children: ChildProcess[] = [];
const start = (...args: string[]): ChildProcess => {
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, "cache"), NO_COLOR: "1" };
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env });
  children.push(child);
  return child;
};
const serve = async (port: string): Promise<string> => {
  const child = start("view", "--port", port);
  let said = "";
  for await (const text of child.stdout ?? []) {
    said += String(text);
    const [url] = /http:\S+/.exec(said) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`view has ended: ${said}`);
};
const openPage = async (url: string): Promise<{ page: Page; faults: string[] }> => {
  const context = await browser().newContext({ reducedMotion: "reduce", colorScheme: "light" });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error.stack ?? error)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.goto(url);
  return { page, faults };
};

beforeAll(async () => {
  writeFileSync(join(folder, "tinker-config.yaml"), CONFIG);
});
afterAll(async () => {
  for (const child of children) {
    if (child.exitCode === null) child.kill("SIGKILL");
  }
  rmSync(folder, { recursive: true, force: true });
});

it("lists a new run, opens it, follows it, controls it, and reports when the server is gone", async () => {
  const url = await serve("0");
  const { page, faults } = await openPage(url);
  await page.getByText("No run to show").waitFor();

  const training = start("train", "--config_path", "tinker-config.yaml");
  const row = page.locator('.grid-row [data-column="name"]').first();
  await row.waitFor({ timeout: 60_000 });
  await page.getByRole("heading", { name: /^Runs in / }).waitFor();
  await row.getByRole("link").click();
  await page.getByRole("link", { name: "All runs" }).waitFor();
  await expect.poll(() => page.title()).toMatch(/ · Tinker RL$/);

  const steps = page.locator(".header .steps");
  await expect.poll(() => steps.textContent(), { timeout: 60_000 }).toMatch(/step [3-9]/);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Continue" }).waitFor({ timeout: 60_000 });
  expect(await accessibilityFaults(page.mainFrame())).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await accessibilityFaults(page.mainFrame())).toEqual([]);

  await page.getByRole("tab", { name: "Rollouts" }).click();
  await page
    .getByRole("row")
    .filter({ hasText: /\+(?:0\.50|1\.00)/ })
    .first()
    .click();
  await page.locator(".segments").getByRole("button", { name: "Tokens" }).click();
  await page.getByRole("listbox", { name: "Tokens" }).waitFor();

  // Actions that need an editor are not offered.
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Show run log" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "Reveal run folder" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  page.on("dialog", (dialog) => void dialog.accept("learning_rate=2e-4"));
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Change settings of this run…" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "More actions" }).click();
  const [log] = await Promise.all([
    page.context().waitForEvent("page"),
    page.getByRole("menuitem", { name: "Show run log" }).click(),
  ]);
  await log.getByText("What happened in").waitFor();
  const logText = async (): Promise<string> => (await page.request.get(log.url())).text();
  await expect.poll(logText, { timeout: 30_000 }).toContain("learning_rate");
  await log.close();
  expect(faults).toEqual([]);

  await page.getByTitle("Stop and save").click();
  const [code] = await once(training, "close");
  expect(code).toBe(3);
  await page.getByText("stopped", { exact: true }).first().waitFor();

  // The page reports that the server is gone.
  const [server] = children;
  server?.kill("SIGINT");
  await page.getByText("Connection lost.").waitFor();
  await expect.poll(() => server?.exitCode).toBe(0);
});

it("requires the token in the address", async () => {
  const url = await serve("0");
  const { page } = await openPage(`${new URL(url).origin}/runs`);
  expect(await page.textContent("body")).toContain("Open the address that");
});
