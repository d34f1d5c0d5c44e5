/** The types of attributes that name an entry. */
const naming = new Set(['string', 'text', 'uid', 'email']);

/** Returns the first text of an entry, in the order of the attributes of its type; its id if there is none. */
export function titleOf(
  entry: Readonly<Record<string, unknown>>,
  attributes: Readonly<Record<string, { readonly type: string }>>,
): string {
  const texts = Object.entries(attributes).flatMap(([name, { type }]) => (naming.has(type) ? [entry[name]] : []));
  const [first] = texts.filter((text): text is string => typeof text === 'string' && text !== '');
  return first ?? String(entry['id']);
}
