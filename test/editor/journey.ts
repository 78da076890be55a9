/** Defines and runs journeys: each has its own server, browser and folder, and saves a picture when it fails. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { accessibilityFaults } from "../workbench/accessibility.ts";
import { freshPage, workbenchUrl } from "../workbench/browser.ts";
import { type ServerOptions, startServer, type WorkbenchServer } from "../workbench/server.ts";
import { type Theme, Workbench } from "../workbench/workbench.ts";
import { endTrainers } from "./endTrainers.ts";
import { deleteFolder, newFolder } from "./folders.ts";

/** A scripted path of a user through the packaged extension. */
export interface Journey {
  /** In camelCase, for `--only` and the names of pictures. */
  readonly name: string;
  /** True for one that takes minutes and only runs when `--only` names it. */
  readonly isByHand?: true;
  /** Fills the opened folder, which starts empty and is deleted at the end. */
  readonly prepare?: (folder: string) => void | Promise<void>;
  readonly server?: Pick<ServerOptions, "trust" | "settings" | "keys" | "env">;
  readonly run: (stage: Stage) => Promise<void>;
}

/** The tools of a journey. */
export interface Stage {
  readonly page: Page;
  readonly workbench: Workbench;
  readonly server: WorkbenchServer;
  readonly folder: string;
  /** A named, timed part of a journey. A returned text is printed. */
  readonly step: (name: string, part: () => Promise<unknown>) => Promise<void>;
  /** Saves `out/shots/<journey>-<name>.png`. */
  readonly picture: (name: string) => Promise<void>;
  /** Saves a picture, with `--themes` one in each theme; `before` is called before each. */
  readonly pictures: (name: string, before?: () => Promise<void>) => Promise<void>;
  /** Expects no axe-core findings in the panel and saves pictures, with `--themes` in each theme; ends in dark. `before` runs first. */
  readonly accessible: (name: string, before?: () => Promise<void>) => Promise<void>;
}

export interface JourneySettings {
  readonly browser: Browser;
  readonly vsix: string;
  readonly edition: NonNullable<ServerOptions["edition"]>;
  /** Takes `pictures` in every theme, for review. */
  readonly allThemes: boolean;
}

const SHOTS = "out/shots";
/** Dark comes last because windows start with it. */
export const PICTURE_THEMES: readonly Theme[] = ["light", "hc-dark", "hc-light", "dark"];
/** One of each brightness and contrast; the journey `accessibility` uses all four. */
const CHECKED_THEMES: readonly Theme[] = ["hc-light", "dark"];

/** Runs one journey and prints its steps; true when all of them passed. */
export async function runJourney(
  journey: Journey,
  { browser, vsix, edition, allThemes }: JourneySettings,
): Promise<boolean> {
  mkdirSync(SHOTS, { recursive: true });
  const folder = newFolder();
  await journey.prepare?.(folder);
  const server = await startServer({ ...journey.server, edition, vsix });
  const page = await freshPage(browser, server.authority);
  const workbench = new Workbench(page);
  const picture = async (name: string): Promise<void> => {
    await page.screenshot({ path: `${SHOTS}/${journey.name}-${name}.png` });
  };
  const inThemes = async (
    themes: readonly Theme[],
    name: string,
    prepare: (theme: Theme) => Promise<void>,
  ) => {
    for (const theme of themes) {
      await workbench.theme(theme);
      await prepare(theme);
      await picture(`${name}-${theme}`);
    }
  };
  try {
    await page.goto(workbenchUrl(server.authority, folder), { waitUntil: "domcontentloaded" });
    await workbench.ready();
    await journey.run({
      page,
      workbench,
      server,
      folder,
      step: timedStep(journey.name),
      picture,
      accessible: (name, before) =>
        inThemes(allThemes ? PICTURE_THEMES : CHECKED_THEMES, name, async (theme) => {
          await before?.();
          const faults = await accessibilityFaults(await workbench.panelFrame());
          assert.deepEqual(faults, [], `${name} in ${theme}`);
        }),
      pictures: async (name, before) => {
        if (allThemes) return inThemes(PICTURE_THEMES, name, async () => before?.());
        await before?.();
        await picture(`${name}-dark`);
      },
    });
    return true;
  } catch (error) {
    await picture("failed").catch(() => undefined);
    console.log(`${journey.name}: FAILED ${error instanceof Error ? error.stack : String(error)}`);
    console.log(`${journey.name}: picture: ${SHOTS}/${journey.name}-failed.png`);
    return false;
  } finally {
    await page.context().close();
    // Before the server's folder is deleted: trainers keep their checkpoints in it.
    endTrainers(folder);
    await server.stop();
    deleteFolder(folder);
  }
}

/** Polls until `probe` returns something; for conditions that no locator can wait for. */
export async function until<Found>(
  what: string,
  probe: () => Promise<Found> | Found,
  limitMs = 30_000,
): Promise<NonNullable<Exclude<Found, false>>> {
  const end = Date.now() + limitMs;
  while (Date.now() < end) {
    const found = await probe();
    if (found !== false && found != null) return found as NonNullable<Exclude<Found, false>>; // what the line before says
    await sleep(50);
  }
  throw new Error(`Waited ${limitMs / 1000} s for ${what}.`);
}

/** Prefixes each line with the journey's name, because several journeys run at once. */
function timedStep(journey: string): Stage["step"] {
  return async (name, part) => {
    const startedAt = Date.now();
    try {
      const note = await part();
      const noted = typeof note === "string" ? `${name}: ${note}` : name;
      console.log(`${journey}: ok ${noted} (${Date.now() - startedAt} ms)`);
    } catch (error) {
      console.log(`${journey}: FAILED ${name}`);
      throw error;
    }
  };
}
