import type { LentEntry, TextPlace } from '#model/query/access.js';
import type { ContentType } from '#model/schema/content-type.js';

type Mark = NonNullable<LentEntry['mark']>;

/** Characters that are not seen, by the value of two bits. */
const digits = ['\u200b', '\u200c', '\u200d', '\ufeff'] as const;

/** What a mark begins with. */
const start = digits[0].repeat(4);

/**
 * Returns a value as characters that are not seen, in the form of Vercel's `@vercel/stega`: the bytes of its JSON in UTF-8, each as four
 * digits of two bits, the highest first.
 */
function encode(value: object): string {
  const bytes = [...Buffer.from(JSON.stringify(value))];
  return (
    start + bytes.map((byte) => [6, 4, 2, 0].map((shift) => digits[((byte >> shift) & 3) as 0 | 1 | 2 | 3]).join('')).join('')
  );
}

/** Texts that programs read: addresses, paths, numbers, dates, colours and e-mail addresses. A mark would change what they mean. */
const isRead = (text: string): boolean =>
  /^([a-z][\w+.-]*:|\/|#|\.{1,2}\/)\S*$/i.test(text) || /^[-+\d.,:/TZ ]+$/.test(text) || /^\S+@\S+$/.test(text);

/**
 * Returns how texts are marked with the places where editors change them. `panel` is the address of the panel, `kindOf` returns the kind of
 * a content type.
 */
export function placeMarks(panel: string, kindOf: (uid: string) => ContentType['kind'] | undefined): Mark {
  return (text, place) =>
    isRead(text) ? text : text + encode({ origin: 'mangrove', href: addressOf(place, panel, kindOf(place.uid)) });
}

function addressOf({ uid, id, locale, path }: TextPlace, panel: string, kind: ContentType['kind'] | undefined): string {
  const page = kind === 'singleType' ? `single-types/${uid}` : `collection-types/${uid}/${String(id)}`;
  const query = new URLSearchParams({ ...(locale !== null && { 'plugins[i18n][locale]': locale }), field: path.join('.') });
  return `${panel}/content-manager/${page}?${query.toString()}`;
}
