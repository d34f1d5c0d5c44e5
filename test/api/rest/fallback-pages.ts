import { Draw } from '../../content/rights/no-leak/draw.js';

/** A localization of a page. One without a group is alone. */
export interface Page {
  readonly _id: number;
  readonly _group?: number;
  readonly locale: string;
  readonly title: string;
  readonly slug: string;
  readonly rating: number;
  readonly kind: string;
  readonly open: boolean;
  readonly publishedAt: Date | null;
}

const at = new Date(0);

/** Returns the localizations of many pages. Each page has some of the locales, drafts among them. */
export function randomPages(groups: number): readonly Page[] {
  const draw = new Draw(7);
  const next = (below: number): number => draw.whole(below);
  const pages: Page[] = [];
  for (let group = 1; group <= groups; group++)
    for (const locale of ['en', 'fr', 'de']) {
      if (next(10) < 3) continue;
      const _id = 10_000 - pages.length * 3 - next(3);
      pages.push({
        _id,
        ...(next(20) > 0 && { _group: 20_000 + group }),
        ...{ locale, title: `t${String(next(40))}`, slug: `s${String(_id)}`, rating: next(10), kind: `k${String(next(4))}` },
        ...{ open: next(3) > 0, publishedAt: next(3) > 0 ? at : null, createdAt: at, updatedAt: at },
      });
    }
  return pages;
}

/** Returns whether a page may be seen. */
export const isShownTo = (
  { publishedAt, open }: Page,
  { state, isPublic }: { readonly state: 'live' | 'preview'; readonly isPublic: boolean },
): boolean => (state === 'preview' || publishedAt !== null) && (!isPublic || open);

/** Returns the number that the localizations of a page share. */
export const groupOf = ({ _id, _group }: Page): number => _group ?? _id;

/** Returns the page of each group that a list with some locales has: the first of those that may be seen. */
export function shownPages(
  pages: readonly Page[],
  locales: readonly string[],
  isShown: (page: Page) => boolean,
): readonly Page[] {
  const groups = new Map<number, Page[]>();
  for (const page of pages.filter(isShown)) groups.set(groupOf(page), [...(groups.get(groupOf(page)) ?? []), page]);
  return [...groups.values()].flatMap((group) => {
    const first = locales.find((code) => group.some(({ locale }) => locale === code));
    return group.filter(({ locale }) => locale === first);
  });
}
