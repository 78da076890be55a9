import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { COMMANDS, type CommandId } from "../../src/host/manifest/commandTable.ts";
import { CONTEXT_KEYS } from "../../src/host/manifest/contextKeyTable.ts";
import { toolInputs } from "../../src/server/tools/toolInputs.ts";
import { TOOLS, type ToolId, toolName } from "../../src/server/tools/toolTable.ts";
import { CONFIG_NAMES } from "../../src/shared/configNames.ts";
import { fitsWildcard } from "../../src/shared/wildcard.ts";
import { manifest, strings, whenClauses } from "./builtManifest.ts";

const { contributes } = manifest;
const commands = contributes.commands.map(({ command }) => command);
const views = Object.values(contributes.views).flat();

/** Commands that the palette offers in any window, with the reason why they work even in an empty one. */
const OFFERED_ANYWHERE: Readonly<Partial<Record<CommandId, string>>> = {
  readExamples: "opens a file from anywhere",
  startLocalDemo: "writes the configuration that it needs, and asks for a folder",
  importRun: "asks for a folder, wherever it is",
  refreshRuns: "looks for runs that another program has just written",
  newConfig: "creates the first configuration",
  refreshEnvironments: "lists the environments of OpenReward",
  setApiKey: "stores a key for all windows",
  removeApiKey: "a window that was not asked yet does not know whether a key is stored",
  importEnv: "says where a .env file would be read",
  keyStatus: "says that no key is set",
  openWalkthrough: "begins with nothing",
  openSettings: "settings are there before runs",
  showLog: "also of a start that failed",
  reportIssue: "also of a start that failed",
};

describe("the manifest", () => {
  it("declares the commands of the table", () => {
    expect(commands).toEqual([...COMMANDS.keys()].map((id) => `tinkerRL.${id}`));
  });

  it("writes titles of commands in Title Case, with short prepositions in lower case", () => {
    const small = /^(a|an|the|and|or|of|to|in|on|by|as|for|from|with|\.env…|[A-Z(].*)$/;
    for (const { title } of COMMANDS.values()) {
      expect(title).toMatch(/^[A-Z]/);
      expect(title.split(" ").filter((word) => !small.test(word))).toEqual([]);
    }
  });

  it("declares the tools of the table, with the schemas that validate their input", () => {
    const tools = contributes.languageModelTools;
    const ids = Object.keys(TOOLS) as ToolId[]; // the keys of the record have this type
    expect(tools.map(({ name }) => name)).toEqual(ids.map(toolName));
    for (const [index, id] of ids.entries()) {
      const declared = z.fromJSONSchema(tools[index]?.inputSchema ?? {});
      const samples = [
        {},
        { run: "a" },
        { run: 1 },
        { run: "a", step: 1 },
        { path: "a" },
        { x: 1 },
      ];
      for (const sample of samples) {
        const isTaken = toolInputs[id].strict().safeParse(sample).success;
        expect([id, sample, declared.safeParse(sample).success]).toEqual([id, sample, isTaken]);
      }
    }
  });

  it("declares command-line programs that a shell can start", () => {
    for (const file of Object.values(manifest.bin)) {
      expect(readFileSync(file, "utf8").slice(0, 40)).toMatch(/^#!\/usr\/bin\/env node\n/);
    }
  });

  it("refers only to declared commands in menus, keys and links", () => {
    const used = [...Object.values(contributes.menus).flat(), ...contributes.keybindings].map(
      ({ command }) => command,
    );
    const links = Object.values(strings).flatMap((text) =>
      [...text.matchAll(/command:(tinkerRL\.\w+)(?![\w.])/g)].map(([, id]) => id),
    );
    expect([...used, ...links].filter((id) => id === undefined || !commands.includes(id))).toEqual(
      [],
    );
  });

  it("shows commands in the palette unconditionally only if they work anywhere, with a reason", () => {
    const clauses = new Map(
      contributes.menus["commandPalette"]?.map(({ command, when }) => [command, when ?? "true"]),
    );
    const isOffered = (command: string): boolean => {
      return holdsInEmptyFolder(clauses.get(command) ?? "true");
    };
    const offered = commands.filter(isOffered).map((id) => id.replace("tinkerRL.", ""));
    expect(offered.toSorted()).toEqual(Object.keys(OFFERED_ANYWHERE).toSorted());
    for (const id of Object.keys(OFFERED_ANYWHERE)) {
      expect([id, COMMANDS.get(id)?.palette]).toEqual([id, undefined]);
    }
  });

  it("shows commands on runs, rollouts or checkpoints in the palette only if there is a run", () => {
    const onRun = new Set(
      contributes.menus["view/item/context"]
        ?.filter(({ when = "" }) => /tinkerRL\.(runs|trajectories|checkpoints)\b/.test(when))
        .map(({ command }) => command),
    );
    const shown = contributes.menus["commandPalette"] ?? [];
    for (const command of onRun) {
      const { when = "true" } = shown.find((entry) => entry.command === command) ?? {};
      expect([command, when]).toEqual([
        command,
        expect.stringMatching(/^false$|tinkerRL\.(has(?!Config)\w+|running|trajectoryFilter)\b/),
      ]);
    }
  });

  it("offers to remove a run only on rows of runs that ended", () => {
    const entries = contributes.menus["view/item/context"] ?? [];
    for (const id of ["archiveRun", "deleteRun"]) {
      const clauses = entries.flatMap(({ command, when = "" }) =>
        command === `tinkerRL.${id}` ? [when] : [],
      );
      expect([id, clauses]).toEqual([id, [expect.stringContaining("(ended)")]]);
    }
  });

  it("offers the same commands in the runs table as on a run's row, except those that the table has itself", () => {
    const inMenu = (menu: string, place: string) =>
      (contributes.menus[menu] ?? []).flatMap(({ command, when = "", group }) =>
        when.startsWith(place) && !String(group).startsWith("inline")
          ? [`${command} ${when.replaceAll(place, "")}`]
          : [],
      );
    const ofView = inMenu("view/item/context", "view == tinkerRL.runs");
    const ofTable = inMenu("webview/context", "webviewId == 'tinkerRL.runs'");
    expect(ofTable.length).toBeGreaterThan(15);
    expect(ofTable.filter((entry) => !ofView.includes(entry))).toEqual([]);
    expect(
      ofView.filter((entry) => !ofTable.includes(entry)).map((each) => each.split(" ")[0]),
    ).toEqual(
      ["stopSweep", "continueSweep", "cancelStart", "compareRuns", "showSweep", "restoreRun"].map(
        (id) => `tinkerRL.${id}`,
      ),
    );
  });

  it("focuses only existing views in links", () => {
    const known = views.map(({ id }) => id);
    const focused = Object.values(strings).flatMap((text) =>
      [...text.matchAll(/command:(tinkerRL\.\w+)\.focus/g)].map(([, id]) => id),
    );
    expect(focused.filter((id) => id === undefined || !known.includes(id))).toEqual([]);
  });

  it("uses only existing views and context keys in when clauses", () => {
    const known = [
      ...views.map(({ id }) => id),
      ...Object.keys(CONTEXT_KEYS).map((key) => `tinkerRL.${key}`),
      ...["dashboard", "runs"].map((panel) => `tinkerRL.${panel}`),
    ];
    const asked = whenClauses().flatMap((when) => when.match(/tinkerRL\.\w+/g) ?? []);
    expect(asked.filter((name) => !known.includes(name))).toEqual([]);
  });

  it("reports missing rollouts, checkpoints or runs only after the search for them", () => {
    const early = contributes.viewsWelcome.filter(
      ({ when = "" }) => !/^[^!]*\btinkerRL\.searched\b/.test(when),
    );
    expect(early.map(({ when }) => when)).toEqual([
      "!isWorkspaceTrusted",
      "isWorkspaceTrusted && workspaceFolderCount == 0",
      "isWorkspaceTrusted && workspaceFolderCount > 0 && !tinkerRL.searched",
    ]);
  });

  it("has a text for each placeholder, and a placeholder for each text", () => {
    const placeholders = [...JSON.stringify(manifestFile()).matchAll(/"%([^%"]+)%"/g)].map(
      ([, key]) => key ?? "",
    );
    expect([...new Set(placeholders)].sort()).toEqual(Object.keys(strings).sort());
  });

  it("uses only icons that VS Code has", () => {
    const metadata = z
      .record(z.string(), z.unknown())
      .parse(JSON.parse(readFileSync("node_modules/@vscode/codicons/dist/metadata.json", "utf8")));
    const { commands: all, languageModelTools: tools } = contributes;
    const icons = [...all, ...tools].flatMap(({ icon }) => icon?.slice(2, -1) ?? []);
    expect(icons.filter((icon) => !(icon in metadata))).toEqual([]);
  });

  it("refers only to existing files", () => {
    const files = [
      manifest.icon,
      ...contributes.viewsContainers.activitybar.map(({ icon }) => icon),
      ...views.map(({ icon }) => icon),
      ...contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.svg)),
    ];
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  it("requires the VS Code version whose types are compiled against", () => {
    expect(manifest.engines.vscode).toBe(`^${manifest.devDependencies["@types/vscode"]}`);
  });

  it("restricts only settings that it declares", () => {
    const declared = contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
    const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
    expect(restricted.filter((key) => !declared.includes(key))).toEqual([]);
  });

  it("activates the extension if the folder itself holds a configuration", () => {
    const patterns = manifest.activationEvents.flatMap((event) => {
      const [, pattern] = /^workspaceContains:(.*)$/.exec(event) ?? [];
      return pattern === undefined ? [] : [pattern];
    });
    const activates = (file: string): boolean =>
      // VS Code takes a pattern without a wildcard as a literal file name, whatever its other characters.
      patterns.some((each) => (/[*?]/.test(each) ? fitsWildcard(file, each) : each === file));
    const files = CONFIG_NAMES.map((name) => name.replace("*", "math"));
    expect(files.filter((file) => !activates(file))).toEqual([]);
  });

  it("never activates the extension in an unrelated window", () => {
    const { activationEvents } = manifest;
    expect(
      activationEvents.filter((event) => event === "*" || event === "onStartupFinished"),
    ).toEqual([]);
  });
});

function manifestFile(): unknown {
  return JSON.parse(readFileSync("package.json", "utf8"));
}

/** No context key of ours is set, as in a window without an active extension. */
function holdsInEmptyFolder(clause: string): boolean {
  const flat = clause.replace(/\(([^()]+)\)/g, (_, inner: string) =>
    String(holdsInEmptyFolder(inner)),
  );
  const holds = (term: string): boolean =>
    term.startsWith("!") ? !holds(term.slice(1)) : term === "true";
  return flat.split(" || ").some((part) => part.split(" && ").every(holds));
}

it("an archived run can be listed again and restored from the archive", () => {
  expect(COMMANDS.get("restoreRun")?.menus?.[0]?.when).toContain("archived");
  expect(COMMANDS.get("showArchivedRuns")?.menus?.[0]?.menu).toBe("view/title");
  expect(COMMANDS.get("hideArchivedRuns")).toBeDefined();
});
