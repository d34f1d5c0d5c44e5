/** Elements that texts of editors consist of. */
const tags = `
  a abbr article aside audio b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn div dl dt
  em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li mark ol p picture pre q rp rt ruby s
  samp section small source span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var video
  wbr
`;

/** The attributes that the panel keeps. None of them names or styles an element. */
const attributes = 'href src align alt center width height type controls target';

const listOf = (words: string): readonly string[] => words.trim().split(/\s+/);

const settings = {
  ALLOWED_TAGS: listOf(tags),
  ALLOWED_ATTR: listOf(attributes),
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

/**
 * The module in the place of `sanitize-html` in the panel, which cleans the preview of rich texts. There the panel allows every element
 * (CVE-2026-90561): a `<style>` of an entry would restyle the page of whoever opens it, and forms would appear.
 */
export const cleanHtml = [
  `import DOMPurify from 'dompurify';`,
  `const settings = ${JSON.stringify(settings)};`,
  `const clean = (html) => DOMPurify.sanitize(html, settings);`,
  `export default Object.assign(clean, { defaults: {} });`,
].join('\n');
