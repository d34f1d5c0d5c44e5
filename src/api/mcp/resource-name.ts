const scheme = 'mangrove://';

/** The address of the list of types. */
export const typesUri = `${scheme}types`;

/** Templates of the addresses of types and entries. */
export const templatesOf = { type: `${typesUri}/{type}`, entry: `${scheme}{type}/{id}` } as const;

/** What an address names. */
type ResourceName =
  | { readonly kind: 'types' }
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'entry'; readonly type: string; readonly id: number };

/** Returns what an address names; null if it is none of this service. */
export function parseResource(uri: string): ResourceName | null {
  if (uri === typesUri) return { kind: 'types' };
  const [type = '', name = '', ...more] = uri.startsWith(scheme) ? uri.slice(scheme.length).split('/') : [];
  if (type === '' || name === '' || more.length > 0) return null;
  if (type === 'types') return { kind: 'type', type: name };
  return /^[1-9]\d{0,14}$/.test(name) ? { kind: 'entry', type, id: Number(name) } : null;
}
