/** Calls of DeepSeek V4.1: an `invoke` tag with one `parameter` tag per argument, which says itself whether its value is a string. */

import { parseExactJson } from "../../util/exactJson.ts";
import { taggedCalls } from "./taggedCalls.ts";
import type { CallSyntax } from "./toolCalls.ts";

/** The token at the beginning of each tag's name. */
export const DSML = "｜DSML｜";

const PARAMETER = `<${DSML} parameter`;
const MARKERS = { open: `<${DSML} invoke`, close: `</${DSML} invoke>` };

export const DSML_CALLS: CallSyntax = {
  ...taggedCalls(MARKERS, {
    expected:
      'Write one block of calls, in it an invoke tag with the name of the tool per call, in that one parameter tag per argument with name="…" and string="true", or string="false" for a value in JSON, and close every tag.',
    headOf: (payload) => {
      const [tag, name] = /^ name="([^"\n]*)">/.exec(payload) ?? [];
      if (tag === undefined || name === undefined) return "not_readable";
      return name.trim() === "" ? "missing_name" : { name, text: payload.slice(tag.length) };
    },
    opening: new RegExp(`^${PARAMETER} name="([^"\\n]*)" string="(true|false)">`),
    keyOf: (key, known) => (known.has(key) ? null : key),
    close: `</${DSML} parameter>`,
    next: new RegExp(`\\s*(?:${PARAMETER}|$)`, "y"),
    inner: new RegExp(`${PARAMETER} name="([^"<\\n]*)"`, "g"),
    argsOf: (written) => {
      const args = Array.from(
        written,
        ([
          key,
          {
            value,
            opening: [, , isText],
          },
        ]) => {
          return [key, isText === "true" ? value : parseExactJson(value)] as const;
        },
      );
      return Object.fromEntries(args);
    },
  }),
  section: { open: `<${DSML} calls>`, close: `</${DSML} calls>`, isStrict: false, endsTurn: true },
};
