/** What a journey is, and how one is run: a server, a browser and a folder of its own, and a picture when something fails. */

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

/** One way of a user through the extension, as it is packaged. */
export interface Journey {
  /** In camelCase, for `--only` and the names of pictures. */
  readonly name: string;
  /** True for one that takes minutes and is only run when `--only` names it. */
  readonly isByHand?: true;
  /** Fills the folder that is opened, which is empty at first and deleted in the end. */
  readonly prepare?: (folder: string) => void | Promise<void>;
  readonly server?: Pick<ServerOptions, "trust" | "settings" | "keys" | "env">;
  readonly run: (stage: Stage) => Promise<void>;
}

/** What a journey has to work with. */
export interface Stage {
  readonly page: Page;
  readonly workbench: Workbench;
  readonly server: WorkbenchServer;
  readonly folder: string;
  /** One named, timed part of a journey. A text that it returns is printed. */
  readonly step: (name: string, part: () => Promise<unknown>) => Promise<void>;
  /** Saves `out/shots/<journey>-<name>.png`. */
  readonly picture: (name: string) => Promise<void>;
  /** Saves a picture, with `--themes` one in each theme; `before` is called before each. */
  readonly pictures: (name: string, before?: () => Promise<void>) => Promise<void>;
  /** axe-core finds nothing in the panel's page, with `--themes` in each theme, and pictures are saved; ends in dark. `before` is called before each. */
  readonly accessible: (name: string, before?: () => Promise<void>) => Promise<void>;
}

export interface JourneySettings {
  readonly browser: Browser;
  readonly vsix: string;
  readonly edition: NonNullable<ServerOptions["edition"]>;
  /** Takes `pictures` in every theme: for whoever looks at them. */
  readonly allThemes: boolean;
}

const SHOTS = "out/shots";
/** Dark comes last: it is what a window begins with. */
export const PICTURE_THEMES: readonly Theme[] = ["light", "hc-dark", "hc-light", "dark"];
/** One of each brightness and contrast; the journey `accessibility` takes all four. */
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
    // Before the server's folder goes: trainers keep their checkpoints in it.
    endTrainers(folder);
    await server.stop();
    deleteFolder(folder);
  }
}

/** Waits until `probe` gives something; for what a locator cannot wait for. */
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

/** Each line begins with the journey's name: several journeys run at once. */
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
