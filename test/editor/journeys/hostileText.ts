/** Output of environments and models is shown as text in the tree, the dashboard and the document, without any effect. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { FrameLocator } from "playwright-core";
import { showRunPart } from "../../workbench/dashboardPlaces.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { HOSTILE, writeHostileRun } from "../hostileRun.ts";
import type { Journey } from "../journey.ts";
import { notedIn, noteEvents } from "../pageNotes.ts";
import { rowHover } from "../rowHover.ts";

/** Characters that reverse text direction, or that control a terminal. */
const ACTING = /(?!\n|\t)[\p{Cc}\p{Cf}]/u;

export const hostileText: Journey = {
  name: "hostileText",
  prepare: async (folder) => {
    writeFiles(folder, { "tinker-config.yaml": localConfig() });
    await writeHostileRun(join(folder, ".tinker-rl", "runs"));
  },
  async run({ page, workbench, step, pictures, picture }) {
    const panel = workbench.panel();
    await noteEvents(page, "securitypolicyviolation");

    await step("a notification makes no links from a name", async () => {
      const notification = workbench.notification("was interrupted after step 1");
      await workbench.show("Tinker RL");
      await workbench.unfold("Trajectories");
      await notification.waitFor();
      assert.match((await notification.textContent()) ?? "", /\[go\] \(command:/);
      assert.equal(await notification.locator(".notification-list-item-message a").count(), 0);
      await picture("notification");
      await notification.getByRole("button", { name: "Later" }).click();
    });

    await step("a prompt makes no links from a folder's name", async () => {
      await workbench.command("Tinker RL: Rename Run…");
      const question = page.locator(".quick-input-widget:visible");
      await question.getByText("The folder remains").waitFor();
      assert.match((await question.textContent()) ?? "", /remains \[go\] \(command:/);
      assert.equal(await question.locator("a:visible").count(), 0);
      await picture("question");
      await page.keyboard.press("Escape");
    });

    await step("rows of the tree are inert text on one line", async () => {
      await workbench.show("Tinker RL");
      await workbench.expand(workbench.row(/^Step 1, mean/));
      await workbench.expand(workbench.row(/, 2 rollouts/).first());
      await workbench
        .row(/^rollout 2, failed/)
        .first()
        .waitFor();
      for (const text of await workbench.view("Trajectories").locator(".monaco-list-row").all()) {
        const shown = `${await text.textContent()} ${await text.getAttribute("aria-label")}`;
        assert.doesNotMatch(shown, ACTING);
        assert.ok(shown.length < 1500, `${shown.length} characters`);
        assert.equal(await text.locator("img, script, .codicon-flame").count(), 0);
      }
      await pictures("tree");
    });

    await step("the hover of a failed rollout is inert text", async () => {
      const failed = workbench.row(/^rollout 2, failed/).first();
      const hover = await rowHover({ page }, failed, /failed/);
      assert.doesNotMatch((await hover.textContent()) ?? "", ACTING);
      assert.equal(await hover.locator("img, script, a").count(), 0);
      await picture("hover");
    });

    await step("the replay shows everything as text, as Markdown and as raw text", async () => {
      await workbench
        .row(/^rollout 1, reward 1/)
        .first()
        .click();
      await panel.locator(".reward-footer").waitFor();
      await isText(panel);
      await pictures("replay");
      await panel.getByRole("button", { name: "Raw", exact: true }).click();
      await panel.getByText("As written").first().waitFor();
      await isText(panel);
      await pictures("raw");
    });

    await step("a long line is folded, and expands on request", async () => {
      await panel
        .getByRole("button", { name: /^Show all/ })
        .first()
        .click();
      await panel.getByRole("button", { name: "Fold", exact: true }).first().waitFor();
      const more = panel.getByText("Open as JSON to see all.").filter({ visible: true });
      await more.first().waitFor();
      await isText(panel);
      const width = await panel.locator(".replay-body").evaluate((element) => ({
        inner: element.scrollWidth,
        outer: element.clientWidth,
      }));
      assert.ok(width.inner <= width.outer + 1, "nothing is wider than its place");
    });

    await step("the overview and the list show text, too", async () => {
      await panel.getByRole("tab", { name: "Overview" }).click();
      await isText(panel);
      for (const part of ["Configuration", "Log", "Checkpoints"] as const) {
        await showRunPart(panel, part);
        await isText(panel);
      }
      await panel.getByRole("tab", { name: "Rollouts" }).click();
      await isText(panel);
    });

    await step("the document with the whole record opens as text", async () => {
      await panel.getByRole("button", { name: "Open as JSON" }).click();
      await workbench.tab("step 1, group 1, rollout 1.json").waitFor();
      await page.locator(".editor-instance .view-lines").first().getByText("systemText").waitFor();
      await picture("document");
    });

    await step("a status bar message makes no icons from a name", async () => {
      await workbench.command("Tinker RL: Archive Run");
      const message = workbench.statusItem("is archived");
      await message.waitFor();
      assert.match((await message.textContent()) ?? "", /\$ \(flame\)/);
      assert.equal(await message.locator(".codicon-flame").count(), 0);
      await picture("archived");
    });

    await step("no script ran or was blocked: nothing became markup", async () => {
      await workbench.command("Tinker RL: Open Dashboard");
      await panel.locator("#root").waitFor();
      for (const frame of page.frames()) {
        const owned = await frame.evaluate(() => (globalThis as { owned?: unknown }).owned ?? null);
        assert.equal(owned, null, frame.url());
      }
      const frame = await workbench.panelFrame();
      assert.deepEqual(await notedIn(frame), []);
      // A script that gets through is blocked, and that is recorded.
      await frame.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "globalThis.owned = 3";
        document.body.append(script);
      });
      assert.ok((await notedIn(frame)).some((text) => text.startsWith("script-src")));
      assert.equal(await frame.evaluate(() => "owned" in globalThis), false);
    });
  },
};

/** The page shows the markup as raw text, and has no element, link or direction from it. */
async function isText(panel: FrameLocator): Promise<void> {
  const root = panel.locator("#root");
  const text = (await root.textContent()) ?? "";
  assert.doesNotMatch(text, ACTING);
  assert.equal(await root.locator("script, iframe, img:not([src^='data:'])").count(), 0);
  assert.equal(await root.locator("a[href^='command:'], [onerror]").count(), 0);
  const isReplay = (await panel.locator(".reward-footer").count()) > 0;
  if (isReplay) assert.ok(text.includes(HOSTILE.script), "the markup is shown as it was written");
}
