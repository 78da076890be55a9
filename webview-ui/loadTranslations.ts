/** Takes over the translations that the extension wrote into the page. */

import { setTranslations } from "../src/shared/l10n.ts";

const text = document.querySelector("#translations")?.textContent;
// Written by `pageHtml.ts` from what VS Code loaded: an object of strings.
if (text) setTranslations(JSON.parse(text));
