/** Words of a name: at case changes, digits and punctuation, digits being words of their own (`i18n` is i, 18, n). */
const words = (name: string): string[] => name.match(/[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+/g) ?? [];

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

/** `blog-post-item` and `blog_post item` become `BlogPostItem`; the form of GraphQL type names (graphql.md 1.1). */
export const pascalCase = (name: string): string => words(name).map(capitalize).join('');

/** `Édi Tor` becomes `edi_tor`; the form of role types. */
export const snakeCase = (name: string): string =>
  words(name.normalize('NFD').replace(/\p{M}/gu, ''))
    .map((word) => word.toLowerCase())
    .join('_');

export const isKebabCase = (name: string): boolean => /^([a-z][a-z0-9]*)(-[a-z0-9]+)*$/.test(name);

/** The known name that is the fewest edits away, for messages about a misspelt one; null where none is near. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  let nearest: string | null = null;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
