/** Takes over the translations that the extension wrote into the page. Whatever translates a text while it loads imports this first. */

import { setTranslations } from "../../src/shared/l10n.ts";

// Tests of single views have no page.
const page = typeof document === "undefined" ? null : document;
const text = page?.querySelector("#translations")?.textContent;
// Written by `pageHtml.ts` from what VS Code loaded: an object of strings.
if (text) setTranslations(JSON.parse(text));
