import { beforeAll, beforeEach, expect, it, vi } from "vitest";
import { RunFollower } from "../../src/core/runFolder/follower.ts";
import { pageHtml } from "../../src/host/dashboard/pageHtml.ts";
import { Notices } from "../../src/host/notices.ts";
import { checkpointRow } from "../../src/host/views/checkpointRow.ts";
import { environmentRow } from "../../src/host/views/environmentRow.ts";
import { describeFilter } from "../../src/host/views/rolloutFilter.ts";
import { runLogText } from "../../src/host/views/runLogText.ts";
import { runRow } from "../../src/host/views/runRow.ts";
import { runTooltip } from "../../src/host/views/runTooltip.ts";
import {
  evaluationRow,
  groupRow,
  noStepsText,
  rolloutItemRow,
  stepRow,
  trainingUseText,
} from "../../src/host/views/trajectoryRows.ts";
import { currentTranslations, l10n, setTranslations } from "../../src/shared/l10n.ts";
import { writeEvaluation } from "../core/runFolder/evaluatedRun.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { pseudoLanguage, untranslated } from "../fakes/pseudoLanguage.ts";
import { anEnvironment } from "../host/catalogue/aList.ts";
import { aRun } from "../host/views/runEntries.ts";

const shown = vi.hoisted((): unknown[] => []);
vi.mock("vscode", async () => {
  // VS Code looks messages up in the same bundle.
  const { l10n } = await import("../../src/shared/l10n.ts");
  const show = async (...texts: readonly unknown[]) => {
    shown.push(...texts);
    return undefined;
  };
  return {
    l10n,
    env: { language: "qps-ploc" },
    window: {
      state: { focused: false },
      showInformationMessage: show,
      showWarningMessage: show,
      showErrorMessage: show,
    },
    workspace: { getConfiguration: () => ({ get: () => undefined }) },
    MarkdownString: class {
      value = "";
      appendMarkdown(text: string) {
        this.value += text;
        return this;
      }
      appendText(text: string) {
        return this.appendMarkdown(text);
      }
    },
  };
});

beforeAll(() => setTranslations(pseudoLanguage()));
beforeEach(() => shown.splice(0));

const PHASES = [
  ...(["preparing", "running", "pausing", "paused", "finishing"] as const),
  ...(["done", "failed", "stopped", "interrupted", "unreadable"] as const),
];

it("a message without a translation stays English, and values stand in their places", () => {
  expect(l10n.t("{1} of no bundle, {0}", "a", 2)).toBe("2 of no bundle, a");
  expect(l10n.t("constructor")).toBe("constructor");
  expect(l10n.t("The run {0} is done.", "{0}")).toBe("⟦Ŧĥé ŕúñ {0} íš đóñé.⟧");
});

it.each(PHASES)(
  "the row and the tooltip of a run that is %s are in the editor's language",
  (phase) => {
    const isLive = PHASES.indexOf(phase) < 5;
    const pendingReports = { rollouts: 3, rows: 1, isSummaryMissing: true };
    const expiry = { atMs: Date.now() + 90_000, repeats: 5 };
    const run = aRun({ phase, isLive, pendingReports, expiry, startedAtMs: 0, problem: "12 + 3" });
    const { label, description, spoken } = runRow(run, { isSpinning: false, isArchived: true });
    const texts = [label, description, spoken, runTooltip(run).value].join("\n");
    expect(untranslated(texts, ["demo", "/projects/.tinker-rl/runs/", "min", "warning"])).toEqual(
      [],
    );
    expect(texts).toContain("⟧");
  },
);

it("rows of steps, groups, rollouts, evaluations, checkpoints and environments are so too", async () => {
  const fileSystem = createMemoryFileSystem();
  const folder = "/runs/evaluated";
  await writeEvaluation(fileSystem.within(folder), folder, 4, 0.25);
  const follower = new RunFollower({ fileSystem, folder });
  await follower.refresh();
  const rollouts = await follower.rollouts(4, "evaluation");
  const failed = rollouts.map((each) => ({ ...each, reward: null, source: "training" as const }));
  const entry = {
    name: "checkpoint_000004",
    step: 4,
    epoch: 0,
    position: 8,
    kind: "final" as const,
    state_path: "tinker://a",
    sampler_path: "tinker://b",
    expires_at: "2030-01-01",
    metrics: {},
    renderer: "reference",
    created_at: "2026-01-01T00:00:00.000Z",
  };
  const splits = [{ name: "train", tasks: 4096 }];
  const environment = anEnvironment("local/depot", { splits, tools: ["look"], description: "" });
  const rows = [
    ...[true, false].map((isLive) => stepRow(3, follower.metrics, isLive)),
    ...[4, 5].map((step) => evaluationRow(step, follower.evaluations, false)),
    evaluationRow(5, follower.evaluations, true),
    ...[rollouts, failed, []].map((each) => groupRow(0, each, 1)),
    ...[rollouts, failed].flatMap((each) => each.slice(0, 1).map((own) => rolloutItemRow(own, 1))),
    checkpointRow(entry, { nowMs: Date.parse("2029-12-31T23:59:00"), isHosted: true }),
    environmentRow("local/depot", environment),
    environmentRow("one/two", null),
  ];
  const texts = [
    ...rows.flatMap(({ label, description, spoken }) => [label, description, spoken]),
    ...failed.slice(0, 1).map((each) => trainingUseText({ ...each, score: null })),
    ...[true, false].map((isLive) => noStepsText(null, isLive)),
    describeFilter({ kind: "tool errors" }),
    describeFilter({ kind: "reward", from: 0, to: 1 }),
    runLogText(
      "demo",
      [
        {
          timeMs: 0,
          attempt: 1,
          level: "warn",
          step: 2,
          message: "-",
          code: null,
          data: {},
        } as never,
      ],
      { isLive: true },
    ),
  ];
  const names = ["calculator", "test", "train", "checkpoint_000004", "final", "local/", "depot"];
  const data = [...names, "one/two", "demo", "min"];
  expect(texts.flatMap((text) => untranslated(text ?? "", data))).toEqual([]);
});

it("a notification and its buttons are so too", async () => {
  const run = aRun({
    phase: "interrupted",
    isLive: false,
    repeats: 1,
    expiry: { atMs: 0, repeats: 1 },
  });
  const none = (): { dispose(): void } => ({ dispose: () => undefined });
  const options = {
    store: { runs: [run] },
    trainings: { onDidEnd: none, onDidDetach: none },
    alarms: { onDidChange: none },
    workspaceState: { get: () => undefined, update: async () => undefined },
    isDashboardVisible: () => false,
    log: { error: (text: string) => shown.push(text) },
  };
  // What an offer needs of them.
  new Notices(options as unknown as ConstructorParameters<typeof Notices>[0]).offerInterrupted();
  await vi.waitFor(() => expect(shown).toHaveLength(5));
  expect(shown.flatMap((text) => untranslated(String(text), ["demo"]))).toEqual([]);
});

it("the dashboard gets the translations in its page, where no text can end the script, and shows no other", async () => {
  const html = pageHtml({
    ...{
      scriptUri: "a.js",
      styleUri: "a.css",
      cspSource: "self",
      nonce: "n",
      language: "qps-ploc",
    },
    translations: { ...currentTranslations(), Stop: "</script><script>" },
  });
  const data = /<script type="application\/json" id="translations">(.*?)<\/script>/s.exec(
    html,
  )?.[1];
  expect(JSON.parse(data ?? "null")).toMatchObject({ Pause: "⟦Þàúšé⟧", Stop: "</script><script>" });
  const { strings } = await import("../../webview-ui/strings/strings.ts");
  const { formatXValue } = await import("../../webview-ui/charts/format.ts");
  const texts = [...textsOf(strings), formatXValue("step", 2), formatXValue("tokens", 1)];
  expect(texts.length).toBeGreaterThan(300);
  expect(texts.flatMap((text) => untranslated(text))).toEqual([]);
});

/** All texts of a table; those that take values get some that are text and number alike. */
function textsOf(table: unknown): readonly string[] {
  if (typeof table === "string") return [table];
  if (typeof table === "function") return [String(table("1", "2", "3", "4"))];
  if (typeof table !== "object" || table === null) return [];
  return Object.values(table).flatMap(textsOf);
}
