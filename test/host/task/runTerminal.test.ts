import { describe, expect, it, vi } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { aTraining, opened } from "./openedTerminal.ts";

it("converts line ends for the terminal, and ends with the code of a failed trainer", async () => {
  const { text, codes } = opened(
    aTraining({
      follow: async ({ print }) => {
        print("step 1\nstep 2\r\n");
        return { exitCode: 5, error: null, folder: "/run" };
      },
    }),
  );
  await vi.waitFor(() => expect(codes).toEqual([5]));
  expect(text()).toBe("step 1\r\nstep 2\r\n");
});

it("reports a vanished trainer, which counts as interrupted", async () => {
  const { text, codes } = opened(
    aTraining({ follow: async () => ({ exitCode: null, error: null, folder: "/run" }) }),
  );
  await vi.waitFor(() => expect(codes).toEqual([6]));
  expect(text()).toContain("can resume");
});

it.each([
  [{ exitCode: 2, error: null, folder: null }, 1],
  [{ exitCode: 5, error: null, folder: "/run" }, 0],
  [{ exitCode: null, error: null, folder: "/run" }, 0],
  [{ exitCode: 0, error: null, folder: null }, 0],
])(
  "is revealed for a failure without a run, which is shown nowhere else: %j",
  async (end, times) => {
    const show = vi.fn();
    const { codes } = opened(aTraining({ follow: async () => end }), show);
    await vi.waitFor(() => expect(codes).toHaveLength(1));
    expect(show).toHaveBeenCalledTimes(times);
  },
);

it("reports an internal error and ends", async () => {
  const { text, codes } = opened(
    aTraining({ follow: () => Promise.reject(new Error("no such program")) }),
  );
  await vi.waitFor(() => expect(codes).toEqual([1]));
  expect(text()).toBe("error: no such program\r\n");
});

it("ends with the usage error code when a start is refused with a message", async () => {
  const refusal = new AppError("config-invalid", "The task cannot be used: TRL110.");
  const { text, codes } = opened(aTraining({ follow: () => Promise.reject(refusal) }));
  await vi.waitFor(() => expect(codes).toEqual([2]));
  expect(text()).toBe("error: The task cannot be used: TRL110.\r\n");
});

it("handles keys: pause and continue alternately, save, stop, and help", async () => {
  const report = vi.fn(async () => "");
  const { terminal, text } = opened(
    aTraining({ follow: () => new Promise(() => undefined), send: report }),
  );
  terminal.handleInput("psp");
  terminal.handleInput("q");
  terminal.handleInput("x?");
  expect(report.mock.calls).toEqual([["pause"], ["save"], ["continue"], ["stop"]]);
  expect(text()).toContain("Keys: p pause");
});

it("stops and saves on the first Ctrl+C, and ends immediately on the second", () => {
  const report = vi.fn(async () => "");
  const { terminal } = opened(
    aTraining({ follow: () => new Promise(() => undefined), send: report }),
  );
  terminal.handleInput("\u0003");
  terminal.handleInput("\u0003");
  expect(report.mock.calls).toEqual([["stop"], ["stop-now"]]);
});

it("sends pause and stop again if they did not reach the trainer", async () => {
  const report = vi.fn(async (): Promise<string> => {
    throw new AppError(
      "run-not-reachable",
      "The trainer is still starting. Try again in a few seconds.",
    );
  });
  const { terminal, text } = opened(
    aTraining({ follow: () => new Promise(() => undefined), send: report }),
  );
  terminal.handleInput("p\u0003");
  await vi.waitFor(() => expect(text().match(/still starting/g)).toHaveLength(2));
  terminal.handleInput("p\u0003");
  expect(report.mock.calls).toEqual([["pause"], ["stop"], ["pause"], ["stop"]]);
});

it("leaves the run in progress when it is closed", async () => {
  const detached = vi.fn();
  let aborted = false;
  const { terminal } = opened(
    aTraining({
      detached,
      follow: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted = true;
            reject(signal.reason);
          });
        }),
    }),
  );
  terminal.close();
  expect([detached.mock.calls.length, aborted]).toEqual([1, true]);
});

/** The exit code and the terminal's output when a training ends this way. */
async function ended(exitCode: number | null | "not started") {
  const end = exitCode === "not started" ? null : { exitCode, error: null, folder: "/run" };
  const { codes, text } = opened(aTraining({ follow: async () => end }));
  await vi.waitFor(() => expect(codes).toHaveLength(1));
  return { code: codes[0], text: text() };
}

describe("the task of a training", () => {
  it.each([
    ["is done", 0],
    ["was stopped and saved", 3],
    ["was stopped immediately", 6],
    ["was not started, because the user canceled it", "not started"],
  ] as const)("that %s exits with success", async (_name, exitCode) => {
    expect((await ended(exitCode)).code).toBe(0);
  });

  it.each([1, 2, 4, 5])("that failed exits with its code %i, which VS Code shows", async (code) => {
    const end = await ended(code);
    expect(end.code).toBe(code);
    expect(end.text).not.toMatch(/exit code|\d/);
  });

  it("that was killed exits as a failure", async () => {
    expect((await ended(null)).code).toBe(6);
  });
});

const ESCAPE = "\u001b";
const STYLE = new RegExp(`${ESCAPE}\\[(\\d{0,2})m`, "g");
const HOSTILE = [
  ["a title", "\u001b]0;pwned\u0007"],
  ["a link", "\u001b]8;;file:///etc/passwd\u001b\\here\u001b]8;;\u001b\\"],
  ["the clipboard", "\u001b]52;c;Y3VybA==\u0007"],
  ["a shell mark", "\u001b]633;E;curl x\u0007"],
  ["the cursor", "\u001b[2J\u001b[1;1H\u001b[1A"],
  ["a question", "\u001b[6n\u001b[c"],
  ["hidden text", "\u001b[8msecret"],
  ["an eight-bit control", "\u009b2J\u009d0;x\u009c"],
  ["a carriage return", "all is well\rnothing is"],
  ["backspaces", "abc\b\b\bxyz"],
  ["another direction", "\u202egnp.exe"],
] as const;

describe("the terminal of a task", () => {
  function shown(pieces: readonly string[]): string {
    const { text } = opened(
      aTraining({
        follow: async ({ print }) => {
          for (const piece of pieces) print(piece);
          return null;
        },
      }),
    );
    return text();
  }

  /** Without styles and line ends of the trainer's own lines. */
  const steering = (text: string): string =>
    text.replace(STYLE, (style, code) => (code === "8" ? style : "")).replaceAll("\r\n", "");

  it.each(HOSTILE)("shows %s as text, wherever it is split", (_what, text) => {
    for (const pieces of [[text], [...text], [text.slice(0, 2), text.slice(2)]]) {
      expect(steering(shown([...pieces, "\n"]))).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });

  it("keeps the trainer's colors, also when an escape sequence is split", () => {
    const line = "\u001b[32mdone\u001b[0m  \u001b[1mrun\u001b[0m\n";
    for (const pieces of [[line], [...line], [line.slice(0, 3), line.slice(3)]]) {
      expect(shown(pieces)).toBe(line.replace("\n", "\r\n"));
    }
  });

  it("normalizes line ends, also when one is split", () => {
    expect(shown(["one\r", "\ntwo\nthree\r\n"])).toBe("one\r\ntwo\r\nthree\r\n");
  });
});
