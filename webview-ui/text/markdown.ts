/** Renders untrusted Markdown: HTML and images are off, and the result is sanitized again. Loaded on demand. */

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
 * Inert elements: links keep their address, and the caller decides what a click does. `visible` is text in which active characters
 * have been replaced.
 */
export function renderMarkdown(visible: string): DocumentFragment {
  const purifier = createDomPurify(window);
  // If unsupported, DOMPurify returns its input unchanged.
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
