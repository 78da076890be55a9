/** Markdown of unknown origin as elements: HTML is off, images are off, and the result is sanitised once more. Loaded on demand. */

import createDomPurify from "dompurify";
import MarkdownIt from "markdown-it";

const parser = new MarkdownIt("default", {
  html: false,
  linkify: false,
  typographer: false,
}).disable("image");

const TAGS = [
  ...["p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"],
  ...["h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"],
];

/**
 * Elements without any behavior: links keep their address, and whoever shows them decides what a click does. `visible` is text
 * in which nothing acts any more.
 */
export function renderMarkdown(visible: string): DocumentFragment {
  const purifier = createDomPurify(window);
  // Where it cannot work it hands everything back as it was.
  if (!purifier.isSupported) return plain(visible);
  return purifier.sanitize(parser.render(visible), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "start"],
    ALLOWED_URI_REGEXP: /^https?:/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

function plain(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  fragment.append(text);
  return fragment;
}
