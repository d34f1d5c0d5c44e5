/** An entry that a page links to. Its locale is absent or null if there is none, or it is not known. */
interface LinkedEntry {
  readonly uid: string;
  readonly id: number;
  readonly locale?: string | null;
}

/** Returns the path of the form of an entry. `kind` is that of its type; that of a single type has no id, but a locale. */
export function entryPath({ uid, id, locale = null }: LinkedEntry, kind: string | undefined): string {
  if (kind !== 'singleType') return `/content-manager/collection-types/${uid}/${String(id)}`;
  const query = locale === null ? '' : `?${new URLSearchParams({ 'plugins[i18n][locale]': locale }).toString()}`;
  return `/content-manager/single-types/${uid}${query}`;
}
