/** Writing a configuration: diagnostics and fixes, names from cached lists, hover, lenses, and the effective values. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { complete, fixAt, goTo, hover } from "../configEditor.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, type Stage, until } from "../journey.ts";
import { writeMeasuredRun } from "../measuredRun.ts";
import { rowHover } from "../rowHover.ts";
import { tinkerRlServer } from "../tinkerRlServer.ts";

const MODEL = "Qwen/Qwen3-8B";
const CHECKPOINT = "tinker://s1:train:0/weights/checkpoint_000050";
/** One error per line, for lines that say so. */
const FAULTY = `# Faults on purpose
model_name: Qwen/Qwen3-8
lr: 1e-5
batch_size: 0
max_response_tokens: "512"
environments:
  GeneralReasoning/WhoDunit:
    num_rollouts: 8
    temperature: 0
    splits:
      training: {}
`;
/** Filled in by completion. */
const OPEN = `model_name: 
batch_size: 32
init_from: 
environments:
  
`;
/** Has a stopped run. */
const MEASURED = localConfig({
  max_steps: 300,
  max_response_tokens: 4096,
  max_total_tokens: 32768,
});
const CODES = ["TRL110", "TRL121", "TRL203", "TRL300", "TRL302"];

export const editing: Journey = {
  name: "editing",
  prepare: (folder) => {
    writeMeasuredRun(folder, "measured.tinker.yaml", MEASURED);
    writeFiles(folder, {
      "measured.tinker.yaml": MEASURED,
      "tinker-config.yaml": FAULTY,
      "open.tinker.yaml": OPEN,
      "local.tinker.yaml": localConfig({ max_steps: 3 }),
      "variant.tinker.yaml": localConfig({ tokenizer_name: "./missing" }),
    });
  },
  async run(stage) {
    const { workbench, server, page, step, picture, pictures } = stage;
    // Lists as an earlier session left them; no service is asked for others.
    keepLists(server.home);

    await step("errors are marked, and listed with their codes", async () => {
      await workbench.open("tinker-config.yaml");
      await page.keyboard.press("Control+Shift+M");
      for (const code of CODES) await workbench.problems().getByText(code).first().waitFor();
      await pictures("problems");
      const start = page.locator('.editor-actions [aria-label^="Start Training"]');
      await start.waitFor();
    });

    await step("a quick fix corrects an unknown key", async () => {
      await fixAt(stage, 3, 2, "Change to 'learning_rate'");
      await workbench.problems().getByText("TRL110").first().waitFor({ state: "hidden" });
    });

    await step("quick fixes correct the names of a model and an environment", async () => {
      await fixAt(stage, 2, 14, `Change to '${MODEL}'`);
      await workbench.problems().getByText("TRL302").first().waitFor({ state: "hidden" });
      await fixAt(stage, 7, 6, "Change to 'GeneralReasoning/WhoDunIt'");
      await workbench.problems().getByText("TRL300").first().waitFor({ state: "hidden" });
      await workbench.problems().getByText("TRL301").first().waitFor();
      await page.keyboard.press("Control+S");
      await picture("fixed");
    });

    await step("a server that is killed is restarted, and marks errors", async () => {
      const killed = tinkerRlServer(server);
      assert(killed !== undefined);
      process.kill(killed, "SIGKILL");
      await page.getByText("server stopped unexpectedly").first().waitFor();
      await until("another server runs", () => (tinkerRlServer(server) ?? killed) !== killed);
      await goTo(stage, 4, 1);
      await page.keyboard.type("# ");
      await workbench.problems().getByText("TRL121").first().waitFor({ state: "hidden" });
      for (const key of ["Backspace", "Backspace", "Control+S"]) await page.keyboard.press(key);
      await workbench.problems().getByText("TRL121").first().waitFor();
    });

    await step("hover describes a model and an environment", async () => {
      await goTo(stage, 2, 16);
      await hover(stage, "32,768 tokens");
      await pictures("hover", () => hover(stage, "32,768 tokens"));
      await goTo(stage, 7, 6);
      await hover(stage, "Find out who did it");
    });

    await step("completion offers models from the list on disk", async () => {
      await workbench.open("open.tinker.yaml");
      await complete(stage, 1, 13, MODEL);
      await picture("models");
      await workbench.suggestion(MODEL).click();
    });

    await step("completion offers checkpoints from the list on disk", async () => {
      await complete(stage, 3, 12, "demo · step 50");
      await picture("checkpoints");
      await workbench.suggestion("demo · step 50").click();
      await page.locator(".view-line", { hasText: CHECKPOINT }).waitFor();
    });

    await step("completion offers environments, with their tasks and tools", async () => {
      await complete(stage, 5, 3, "GeneralReasoning/WhoDunIt");
      await workbench.notification("Let completion ask Tinker and OpenReward").waitFor();
      await picture("question");
      await page.keyboard.press("Escape");
      await pictures("environments", async () => {
        await complete(stage, 5, 3, "GeneralReasoning/WhoDunIt");
      });
      await workbench.suggestion("GeneralReasoning/WhoDunIt").click();
      await page.keyboard.press("Escape");
      await page.locator(".view-line", { hasText: "GeneralReasoning/WhoDunIt:" }).waitFor();
    });

    await step("Enter after the colon of a block starts it, and writes no value", async () => {
      await workbench.open("open.tinker.yaml");
      await page.keyboard.press("Control+End");
      await page.keyboard.press("Enter");
      await page.keyboard.type("evaluation:", { delay: 50 });
      // Suggestions appear after a moment, and Enter would accept the first.
      await page.waitForTimeout(1_000);
      await page.keyboard.press("Enter");
      await page.keyboard.type("  at_end: true");
      await page.locator(".view-line", { hasText: "at_end: true" }).waitFor();
      assert.equal(await page.locator(".view-line", { hasText: "evaluation: null" }).count(), 0);
    });

    await step("lenses offer a start, and describe each environment", async () => {
      await workbench.open("local.tinker.yaml");
      await lens(stage, "Start Training").waitFor();
      await lens(stage, "Validate").waitFor();
      await lens(stage, "Estimate").waitFor();
      await lens(stage, "4,096 train tasks · 2 tools").waitFor();
      await pictures("lenses");
      await lens(stage, "Validate").click();
      await workbench.statusItem("local.tinker.yaml is valid").waitFor();
    });

    await step("hints show measurements of the newest run", async () => {
      await workbench.open("measured.tinker.yaml");
      await hint(stage, "· 412k tokens/step · $0.83 · 1 min 35 s").waitFor();
      await hint(stage, "· 2.1% cut · mean 812, max 3.91k").waitFor();
      await hint(stage, "41/300 steps in 1 h 05 min · $34.03").waitFor();
      await pictures("hints", () => hoverHint(stage));
    });

    await step("a hint names the measured value once the file has another one", async () => {
      const at = MEASURED.split("\n").findIndex((line) => line.startsWith("batch_size:"));
      await goTo(stage, at + 1, "batch_size: 16".length + 1);
      await page.keyboard.type("0");
      await hint(stage, "at 16: 412k tokens/step").waitFor();
      await page.setViewportSize({ width: 1024, height: 700 });
      await hoverHint(stage);
      await picture("hints-small");
      await page.setViewportSize({ width: 1400, height: 900 });
      await page.keyboard.press("Control+Z");
      await hint(stage, "at 16: 412k tokens/step").waitFor({ state: "hidden" });
    });

    await step(
      "Show Effective Configuration shows it next to the effective values of a run",
      async () => {
        await workbench.command("Tinker RL: Show Effective Configuration");
        await workbench.tab("Effective Configuration").waitFor();
        const made = page.locator(".monaco-diff-editor .editor.modified .view-line");
        await made.filter({ hasText: "lora_rank: 8 # line 3" }).waitFor();
        await made.filter({ hasText: "# default" }).first().waitFor();
        await pictures("effective");
        // Its title begins with the name of a file that a later step opens.
        await workbench.command("View: Close Editor");
      },
    );

    await step("errors that only a trainer can find stay marked after its end", async () => {
      await workbench.open("variant.tinker.yaml");
      await lens(stage, "Start Training").click();
      await workbench.notification("did not start").waitFor({ timeout: 60_000 });
      await page.keyboard.press("Control+Shift+M");
      await workbench.problems().getByText("./missing is neither").first().waitFor();
      await picture("refused");
    });

    await step("New Configuration opens a template under an unused name", async () => {
      await workbench.command("Tinker RL: New Configuration…");
      await workbench.rows.first().waitFor();
      await picture("templates");
      await workbench.rows.first().click();
      await workbench.tab(".tinker.yaml").waitFor();
      await lens(stage, "Start Training").waitFor();
      await picture("template");
    });

    await step("Environments lists those of the configurations, local and hosted", async () => {
      await workbench.show("Tinker RL");
      await workbench.view("Runs").locator(".pane-header").click();
      await workbench.unfold("Environments");
      const local = workbench.row(/^environment local\/calculator on this computer, 4,096 train/);
      await local.first().waitFor();
      await workbench.expand(workbench.row(/^environments: OpenReward, 2 /));
      const hosted = workbench.row(/^environment GeneralReasoning\/Wordle at OpenReward/).last();
      await hosted.click();
      await workbench.row(/^submit_answer, tool/).waitFor();
      await pictures("view");
    });

    await step("an environment is added to the configuration from there", async () => {
      await workbench.open("local.tinker.yaml");
      const row = workbench.row(/^environment local\/depot on this computer/).first();
      await row.hover();
      await row.getByRole("button", { name: "Add Environment to Config" }).click();
      await page.locator(".view-line", { hasText: "local/depot" }).waitFor();
      await picture("added");
    });

    await step("a hint opens its run", async () => {
      await workbench.open("measured.tinker.yaml");
      await page.keyboard.down("Control");
      await hoverHint(stage);
      await page.locator(".view-line span", { hasText: "412k tokens/step" }).last().click();
      await page.keyboard.up("Control");
      await workbench.panel().getByText("measured").first().waitFor();
    });
  },
};

/** Writes lists where the extension caches them. */
function keepLists(home: string): void {
  const folder = join(home, "user", "User", "globalStorage", "tinker-rl.tinker-rl", "catalogue");
  mkdirSync(folder, { recursive: true });
  const hour = 3600 * 1000;
  const list = (server: string, items: readonly unknown[]): string =>
    JSON.stringify({
      schemaVersion: 1,
      server,
      items,
      atMs: Date.now() - 3 * hour,
      isComplete: true,
    });
  const environment = (name: string, description: string) => ({
    name,
    description,
    secrets: [],
    page: `https://openreward.ai/${name}`,
    splits: [
      { name: "train", tasks: 100 },
      { name: "test", tasks: 20 },
    ],
    tools: ["look", "submit_answer"],
  });
  const tinker = "https://tinker.thinkingmachines.dev/services/tinker-prod";
  writeFiles(folder, {
    "environments.json": list("https://api.openreward.ai", [
      environment("GeneralReasoning/WhoDunIt", "Find out who did it, where and with what."),
      environment("GeneralReasoning/Wordle", "Guess a word in six turns."),
    ]),
    "models.json": list(tinker, [
      { name: MODEL, contextTokens: 32_768, maxRank: null, note: null },
      { name: "Qwen/Qwen3-30B-A3B", contextTokens: 65_536, maxRank: null, note: null },
    ]),
    "checkpoints.json": list(tinker, [
      {
        path: CHECKPOINT,
        model: MODEL,
        rank: 32,
        run: "demo",
        step: 49,
        sizeBytes: 213_000_000,
        kind: null,
        isGone: false,
        savedAtMs: Date.now() - 5 * hour,
        expiresAtMs: null,
      },
    ]),
  });
}

function hint({ page }: Stage, text: string) {
  return page.locator(".editor-group-container.active .view-line", { hasText: text }).first();
}

/** Opens the link of the hint about steps. */
async function hoverHint(stage: Stage): Promise<void> {
  const hint = stage.page.locator(".view-line span", { hasText: "412k tokens/step" }).last();
  await rowHover(stage, hint, "measured");
}

function lens({ page }: Stage, title: string) {
  return page
    .locator(
      ".editor-group-container.active .codelens-decoration a, .editor-group-container.active .codelens-decoration span",
      { hasText: title },
    )
    .first();
}
