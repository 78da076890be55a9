/** Parsers of logs, replies, streams and stored texts, and their renderers. */

import { errorLines } from "../../../src/cli/terminal/exitCode.ts";
import { clipText, wrapText } from "../../../src/cli/terminal/line.ts";
import { wordsOf } from "../../../src/core/changes/phraseCounts.ts";
import { EventReader } from "../../../src/core/openreward/eventStream.ts";
import { readDetail } from "../../../src/core/openreward/faults.ts";
import { foundToken } from "../../../src/core/search/foundToken.ts";
import { requiredLiterals } from "../../../src/core/search/regexLiterals.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { restoreRedacted } from "../../../src/core/secrets/redaction/restoreRedacted.ts";
import { parseWandbSettings } from "../../../src/core/tracking/wandb/login/apiKey.ts";
import { ConsoleLines } from "../../../src/core/tracking/wandb/run/consoleLines.ts";
import { parseExtended } from "../../../src/core/tracking/wandb/run/extendedJson.ts";
import { indexOfText } from "../../../src/core/util/indexOfText.ts";
import {
  plainLabel,
  plainLine,
  plainMessage,
  plainText,
} from "../../../src/core/util/plainText.ts";
import { strip } from "../../../src/core/util/strip.ts";
import { oneLine, withoutEnd } from "../../../src/core/util/textEdges.ts";
import { unusedMark } from "../../../src/core/util/unusedMark.ts";
import { visibleLine, visibleText, visibleToken } from "../../../src/core/util/visibleText.ts";
import { AS_EXPORTED, modelCard } from "../../../src/core/weights/modelCard.ts";
import { TerminalText } from "../../../src/host/task/terminalText.ts";
import { toCsv, toMarkdown } from "../../../webview-ui/controls/export.ts";
import { imagesNamedIn } from "../../../webview-ui/text/imagesNamedIn.ts";
import { foldText, visiblePieces } from "../../../webview-ui/text/visible.ts";
import { type Reader, reads } from "./reader.ts";

const SECRETS = [
  "tml-8f14e45fceea167a5a36dedd4bea2543",
  "aaaaaaaaaaaab",
  "hunter",
  "Schlüsselwörter für ä",
  "a b\nc d",
];
const ENCODED = [
  ...["\\u0061", "%61", "&#97;", "&#x61;", "YWFh", "YWFh\n", "61", "61 ", "61:", "6161\n  "],
  ...[
    "\\\\\\u0061",
    "%2561",
    "&amp;#97;",
    "tml-",
    "hunte",
    "aaaaaaaaaaaa",
    "***",
    "hunter",
    "=3D",
    "=\n",
  ],
];
const NOWHERE = { role: "answer", turn: 0 } as const;

export function textReaders(): readonly Reader[] {
  const encoder = new TextEncoder();
  const redactor = new Redactor();
  for (const secret of SECRETS) redactor.learn(secret);
  return [
    { name: "redaction", atoms: ENCODED, prepare: reads((text) => redactor.redact(text)) },
    {
      name: "redacted text",
      prepare: (text) => {
        const cleaned = redactor.redact(`hunter${text}hunter`);
        return () => restoreRedacted([cleaned, text], [text, cleaned]);
      },
      atoms: ["***", "***a"],
    },
    {
      name: "an event stream",
      atoms: ["data: a\n\n", "data: a\n", "data\n", ": \n", "event: a\n", "id: 1\n", "retry: 1\n"],
      prepare: (text) => {
        const bytes = encoder.encode(text);
        return () => {
          const reader = new EventReader();
          for (let at = 0; at < bytes.length; at += 4_096)
            reader.read(bytes.subarray(at, at + 4_096));
        };
      },
    },
    { name: "a server's message", atoms: ['{"detail":"'], prepare: reads(readDetail) },
    {
      name: "lines of a log",
      atoms: ["\ra", "a\r", "\u001b[0", "\u001b]0;a\u0007"],
      frames: [
        ["", ""],
        ["a".repeat(20_000), "\n"],
      ],
      prepare: reads((text) => {
        const lines = new ConsoleLines();
        return [lines.add(text), lines.end()];
      }),
    },
    { name: "JSON with NaN", atoms: ["NaN,", '"\\"', '"\\u0000'], prepare: reads(parseExtended) },
    {
      name: "settings of W&B",
      atoms: ["[a]\n", "a = \n"],
      frames: [
        ["", ""],
        ["[default]\nbase_url = a", "b"],
      ],
      prepare: reads(parseWandbSettings),
    },
    {
      name: "edges of a text",
      frames: [
        ["", ""],
        ["a", "a"],
        ["/", "/a"],
      ],
      atoms: [". ", "/", "\n\n"],
      prepare: reads((text) => [
        strip(text),
        oneLine(text),
        withoutEnd(text, /[.\s]/),
        withoutEnd(text, /\//),
        unusedMark("#", "#", text),
        unusedMark("zqturn", "qz", text),
      ]),
    },
    {
      name: "a text in another one",
      frames: [["", ""]],
      atoms: ["ab", "aab"],
      prepare: (text) => {
        const half = text.slice(0, text.length / 4);
        return () => [
          indexOfText(text, `${half}\u0001${half}`),
          indexOfText(text, `${half}\u0001`),
          indexOfText(text, `\u0001${half}`),
        ];
      },
    },
    {
      name: "the token of a found place",
      slowFrom: 4_096,
      atoms: ["a", '"', '\\"', '"a",', '"ab",', "ab ", " ", "\\n", "\\"],
      frames: [
        ["", ""],
        ['{"a": "', '"}'],
        ['"', ""],
      ],
      prepare: (text) => {
        const half = text.slice(0, text.length / 2);
        const tokens = Array.from({ length: half.length / 2 }, (_, at) =>
          half.slice(2 * at, 2 * at + 2),
        );
        const texts = [
          { ...NOWHERE, text: text.replaceAll("a", "b") },
          ...Array.from({ length: text.length / 256 }, (_, at) => ({
            ...NOWHERE,
            text: `x${at}y`,
          })),
          { ...NOWHERE, text: `${half}\u0001${half}` },
        ];
        const snippet = { ...NOWHERE, before: "…a", match: "\u0001", after: "" };
        return () => foundToken({ tokens, texts }, snippet);
      },
    },
    {
      name: "words of a regular expression",
      atoms: ["\\d", "a?", "{2}"],
      prepare: reads(requiredLiterals),
    },
    { name: "words of a rollout", prepare: reads((text) => wordsOf([text])) },
    {
      name: "visible text",
      prepare: reads((text) => [
        visibleText(text),
        visibleLine(text),
        visibleToken(text),
        visiblePieces(text),
        foldText(text, 20, 4_000),
        imagesNamedIn(text, 9),
      ]),
      atoms: ["[image 1]", "[image "],
    },
    {
      name: "text of a notification",
      prepare: reads((text) => [
        plainLine(text),
        plainText(text),
        plainMessage(text),
        plainLabel(text),
      ]),
    },
    {
      name: "output in a terminal",
      prepare: reads((text) => {
        const terminal = new TerminalText();
        return Array.from({ length: 16 }, (_, at) =>
          terminal.next(text.slice((at * text.length) / 16, ((at + 1) * text.length) / 16)),
        );
      }),
    },
    {
      name: "wrapped lines",
      prepare: reads((text) => [wrapText(text, 80), wrapText(text, 2), clipText(text, 80)]),
    },
    { name: "an error", prepare: reads((text) => errorLines(new Error(text), true)) },
    {
      name: "cells of a CSV file and of a Markdown table",
      atoms: ["=", ";=", "\t\t=", " ="],
      prepare: reads((text) => [
        toCsv({ heads: [text], rows: [[text]] }),
        toMarkdown({ heads: [text], rows: [[1]] }),
      ]),
    },
    {
      name: "a model card",
      prepare: reads((text) =>
        modelCard({
          baseModel: text,
          rank: 1,
          path: text,
          run: null,
          form: AS_EXPORTED,
          base: text,
        }),
      ),
    },
  ];
}
