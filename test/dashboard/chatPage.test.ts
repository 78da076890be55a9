/** The built chat page in a browser. */

import { afterEach, describe, expect, it, vi } from "vitest";
import type { ChatPageMessage, ChatPartnerView, ChatView } from "../../src/shared/chat.ts";
import { aPartner, aTurn, aView } from "../fakes/chatViews.ts";
import { HOSTILE_TEXT } from "../server/dashboard/writtenRun.ts";
import { accessibilityFaults } from "../workbench/accessibility.ts";
import { openServedPage, type ServedPage } from "./servedPage.ts";
import { browserOfAllTests } from "./testBrowser.ts";
import { THEMES } from "./themes.ts";

/** Every text of a model, a tool, a task and an error is the same hostile one. */
function hostileView(): ChatView {
  const text = HOSTILE_TEXT;
  const calls = [{ name: text, args: text }];
  const turn = aTurn({
    thinking: text,
    text,
    raw: text,
    calls,
    errors: [{ message: text, raw: text }],
  });
  const answer = { name: text, text, isError: true, reward: 0.5, finished: true };
  const entries: ChatPartnerView["entries"] = [
    { kind: "message", text },
    { kind: "turn", turn },
    { kind: "answers", by: "environment", answers: [answer] },
    { kind: "answers", by: "person", answers: [answer] },
  ];
  const partner = aPartner({ label: text, opening: text, entries, candidates: [turn, turn] });
  const asked = { ...partner, next: "answers" as const };
  return aView([partner, asked], { task: text, notes: [text], askedCall: text });
}

describe("the chat page", () => {
  const browser = browserOfAllTests();
  let opened: ServedPage[] = [];
  afterEach(async () => {
    await Promise.all(opened.map((page) => page.close()));
    opened = [];
  });

  const [theme] = THEMES;
  const open = async (view: ChatView, state?: unknown) => {
    const posted: ChatPageMessage[] = [];
    const served = await openServedPage(browser(), "chat", { theme, state }, (message, post) => {
      posted.push(message as ChatPageMessage); // of our own page
      if (posted.length === 1) post({ kind: "view", view });
    });
    opened.push(served);
    await served.page.locator(".partner").first().waitFor();
    const acts = () => posted.flatMap((each) => (each.kind === "act" ? [each.action] : []));
    return { ...served, posted, acts };
  };

  it("inserts texts of models, tools, tasks and errors as text, in every theme", async () => {
    const { page, faults, post, setTheme } = await open(hostileView());
    post({ kind: "failed", error: { code: "x", message: HOSTILE_TEXT }, isOver: true });
    await page.getByRole("button", { name: "Begin again" }).waitFor();
    for (const each of THEMES) {
      await setTheme(each);
      expect(await accessibilityFaults(page.mainFrame())).toEqual([]);
    }
    for (const isRaw of [false, true]) {
      if (isRaw) await page.getByRole("button", { name: "As written" }).click();
      expect(await page.locator("img, a, script:not([src]):not([type])").count()).toBe(0);
      const shown = await page.locator("#root").textContent();
      expect(shown).toContain("<script>document.title='owned'</script>");
      for (const acting of ["\u001b", "\u202e", "\u0007", "\0", "\u200b"]) {
        expect(shown).not.toContain(acting);
      }
    }
    expect(await page.title()).toBe("Tinker RL");
    expect(faults).toEqual([]);
  });

  it("sends and stops by keyboard, and keeps focus in the message field", async () => {
    const view = aView([aPartner()]);
    const { page, post, acts } = await open(view);
    const input = page.getByRole("textbox", { name: "Message" });
    await input.focus();
    await page.keyboard.type("one");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two");
    await page.keyboard.press("Enter");
    await vi.waitFor(() => expect(acts()).toEqual([{ action: "say", text: "one\ntwo" }]));
    expect(await input.inputValue()).toBe("");
    await page.keyboard.press("Enter");
    post({ kind: "view", view: { ...view, sampling: { done: 0, total: 2 } } });
    await page.getByRole("status").getByText("Sampling: 0 of 2 done").waitFor();
    await page.keyboard.press("Escape");
    await vi.waitFor(() => expect(acts().slice(1)).toEqual([{ action: "stop" }]));
    const candidates = [aTurn(), aTurn()];
    post({ kind: "view", view: aView([aPartner({ next: "choice", candidates })]) });
    await page.getByRole("button", { name: "Continue with Sample 2" }).press("Enter");
    await vi.waitFor(() => expect(acts().at(-1)).toEqual({ action: "choose", index: 1 }));
    await page.locator("textarea:focus").waitFor();
  });

  it("answers in place of a tool, even with an empty answer", async () => {
    const asked = aView([aPartner({ next: "answers" })], { askedCall: "calc" });
    const { page, acts } = await open(asked);
    await page.getByRole("textbox", { name: "Answer instead of the tool calc" }).press("Enter");
    await vi.waitFor(() => expect(acts()).toEqual([{ action: "answer", text: "" }]));
  });

  it("keeps the text being typed when a view arrives, and a draft when it reloads", async () => {
    const view = aView([aPartner()]);
    const { page, post, acts, keptState } = await open(view, { draft: "begun" });
    const input = page.getByRole("textbox", { name: "Message" });
    expect(await input.inputValue()).toBe("begun");
    await input.press("End");
    await page.keyboard.type(" anew");
    const temperature = page.getByLabel("Temperature");
    await temperature.focus();
    await page.keyboard.type("0.");
    post({ kind: "view", view: aView([aPartner({ label: "run · two" })]) });
    await page.getByRole("heading", { name: "run · two" }).first().waitFor();
    await page.keyboard.type("25");
    await page.keyboard.press("Enter");
    await vi.waitFor(() =>
      expect(acts()).toEqual([{ action: "change", settings: { temperature: 0.25 } }]),
    );
    expect(await keptState()).toEqual({ draft: "begun anew" });
  });

  it("sends no setting that the program would reject", async () => {
    const { page, acts } = await open(aView([aPartner()]));
    for (const [label, text] of [
      ["Samples", "65"],
      ["Samples", "0"],
      ["Seed", "-1"],
      ["Max tokens per turn", "1.5"],
    ] as const) {
      const field = page.getByLabel(label);
      await field.fill(text);
      await field.blur();
    }
    await page.getByLabel("Seed").fill("9");
    await page.getByLabel("Seed").blur();
    await vi.waitFor(() => expect(acts()).toEqual([{ action: "change", settings: { seed: 9 } }]));
  });

  it("continues after a stop, and undoes turns", async () => {
    const entries = [{ kind: "turn", turn: aTurn() }] as const;
    const { page, acts } = await open(aView([aPartner({ next: "turn", entries })]));
    for (const name of ["Continue", "Try again", "Undo"]) {
      await page.getByRole("button", { name, exact: true }).click();
    }
    await vi.waitFor(() =>
      expect(acts().map(({ action }) => action)).toEqual(["proceed", "again", "undo"]),
    );
  });
});
