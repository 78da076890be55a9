/** The editor's interface: a trainer that gets its keys over standard input, and reports its progress in files. */

import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { watchLaunch } from "../../src/host/runs/launchWatch.ts";
import { launchTrainer } from "../../src/node/launch/launcher.ts";
import { LaunchStore, readLaunch } from "../../src/node/launch/launchStore.ts";
import type { LaunchRequest } from "../../src/shared/control.ts";
import { orderOf } from "../fakes/anOrder.ts";
import { addresses, CONFIG, ENVIRONMENT_SECRETS, KEYS } from "./secretsPlanted.ts";
import { watchProcesses } from "./secretsProcesses.ts";
import { plainVariables } from "./secretsRun.ts";
import type { Opened } from "./secretsSetup.ts";

type Handed = Pick<LaunchRequest, "keys" | "variables">;

const SETTINGS = ["max_steps=2"];

/** One run that trains, some that must not start, one whose service rejects the key. */
export async function editorRun(opened: Opened): Promise<void> {
  const handed = given(opened);
  await launchOnce(opened, 0, handed);
  const { stranger } = opened.fakeServices;
  const names = Object.keys(addresses(opened.fakeServices));
  const led = {
    ...handed,
    variables: Object.fromEntries(names.map((each) => [each, stranger.url])),
  };
  await launchOnce(opened, 2, led);
  for (const word of ["--allow-host", "--config", "allow_host"]) {
    await launchOnce(opened, 2, led, [...SETTINGS, `${word}=${stranger.url}`]);
  }
  // The contents of `.env` were not passed.
  await launchOnce(opened, 2, { ...handed, keys: {} });
  const { length } = stranger.sent;
  opened.report.expect(length === 0, `${opened.name}: ${length} requests to a stranger`);
  opened.fakeServices.tinker.mood = "denies";
  await launchOnce(opened, 5, handed);
}

async function launchOnce(
  opened: Opened,
  exitCode: number,
  handed: Handed,
  settings: readonly string[] = SETTINGS,
): Promise<void> {
  const { name, place, report } = opened;
  const launches = join(place.home, "launches");
  const configPath = join(place.project, CONFIG);
  const launchFolder = await launchTrainer(
    {
      launches: new LaunchStore(launches),
      programFolder: resolve("dist/trainer"),
      copiesFolder: join(place.home, "copies"),
      environment: () => ({ ...plainVariables(place), TINKER_RL_DEBUG: "1" }),
    },
    { title: "train", launchRequest: await orderOf(configPath, handed, settings) },
  );
  const pid = (await readLaunch(launchFolder))?.request.pid ?? 0;
  const watch = watchProcesses(pid, place.temp);
  let stdout = "";
  const end = await watchLaunch(launchFolder, {
    onOutput: (text) => {
      stdout += text;
    },
    onFolder: () => undefined,
  });
  // Its last output has been read; its children end with it.
  await sleep(100);
  const reported = { pid, code: end.exitCode, stdout, stderr: "", seen: watch.stop() };
  // A refused start ends so quickly that its processes may not have been inspected.
  if (exitCode !== 0) report.look(`${name}, refused: output`, [["stdout", Buffer.from(stdout)]]);
  else report.lookAtProcesses(name, reported);
  report.expect(end.exitCode === exitCode, `${name}: ended with ${end.exitCode}: ${stdout}`);
}

/** Keys as in the editor's secret store, each for its host. */
function given({ planted, fakeServices }: Opened): Handed {
  const { tinker, environments, upload, wandb } = fakeServices;
  const urls = [tinker, environments, upload, wandb].map(({ url }) => new URL(url).host);
  const keyFor = (key: keyof typeof planted, host = "") =>
    [key, { value: planted[key], origin: "store", host }] as const;
  const own = KEYS.map((key, i) => keyFor(key, urls[i]));
  const secrets = ENVIRONMENT_SECRETS.map((key) => keyFor(key, urls[1]));
  return { keys: Object.fromEntries([...own, ...secrets]), variables: addresses(fakeServices) };
}
