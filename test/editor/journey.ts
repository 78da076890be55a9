/** What a journey is, and how one is run: a server, a browser and a folder of its own, and a picture when something fails. */

import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { freshPage, workbenchUrl } from "../workbench/browser.ts";
import { type ServerOptions, startServer, type WorkbenchServer } from "../workbench/server.ts";
import { type Theme, Workbench } from "../workbench/workbench.ts";
import { endTrainers } from "./endTrainers.ts";
import { deleteFolder, newFolder } from "./folders.ts";

/** One way of a user through the extension, as it is packaged. */
export interface Journey {
  /** In camelCase, for `--only` and the names of pictures. */
  readonly name: string;
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
  /** Saves a picture in each theme, then goes back to dark. */
  readonly pictures: (name: string, inTheme?: (theme: Theme) => Promise<void>) => Promise<void>;
}

export interface JourneySettings {
  readonly browser: Browser;
  readonly vsix: string;
  readonly edition: NonNullable<ServerOptions["edition"]>;
}

const SHOTS = "out/shots";
/** Dark comes last: it is what a window begins with. */
export const PICTURE_THEMES: readonly Theme[] = ["light", "hc-dark", "hc-light", "dark"];

/** Runs one journey and prints its steps; true when all of them passed. */
export async function runJourney(
  journey: Journey,
  { browser, vsix, edition }: JourneySettings,
): Promise<boolean> {
  mkdirSync(SHOTS, { recursive: true });
  const folder = newFolder();
  await journey.prepare?.(folder);
  const server = await startServer({ ...journey.server, edition, vsix: [vsix] });
  const page = await freshPage(browser, server.authority);
  const workbench = new Workbench(page);
  const picture = async (name: string): Promise<void> => {
    await page.screenshot({ path: `${SHOTS}/${journey.name}-${name}.png` });
  };
  console.log(journey.name);
  try {
    await page.goto(workbenchUrl(server.authority, folder), { waitUntil: "domcontentloaded" });
    await workbench.ready();
    await journey.run({
      page,
      workbench,
      server,
      folder,
      step: timedStep,
      picture,
      pictures: picturesWith(workbench, picture),
    });
    return true;
  } catch (error) {
    await picture("failed").catch(() => undefined);
    console.log(`  FAILED ${error instanceof Error ? error.stack : String(error)}`);
    console.log(`  picture: ${SHOTS}/${journey.name}-failed.png`);
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
  limitMs = 10_000,
): Promise<NonNullable<Exclude<Found, false>>> {
  const end = Date.now() + limitMs;
  while (Date.now() < end) {
    const found = await probe();
    if (found !== false && found != null) return found as NonNullable<Exclude<Found, false>>; // what the line before says
    await sleep(50);
  }
  throw new Error(`Waited ${limitMs / 1000} s for ${what}.`);
}

async function timedStep(name: string, part: () => Promise<unknown>): Promise<void> {
  const startedAt = Date.now();
  try {
    const note = await part();
    console.log(
      `  ok ${name}${typeof note === "string" ? `: ${note}` : ""} (${Date.now() - startedAt} ms)`,
    );
  } catch (error) {
    console.log(`  FAILED ${name}`);
    throw error;
  }
}

function picturesWith(
  workbench: Workbench,
  picture: (name: string) => Promise<void>,
): Stage["pictures"] {
  return async (name, inTheme) => {
    for (const theme of PICTURE_THEMES) {
      await workbench.theme(theme);
      await inTheme?.(theme);
      await picture(`${name}-${theme}`);
    }
  };
}
