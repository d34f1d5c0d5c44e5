import type { LoadedEntry, RelatedEntries } from '#store/form/loaded.js';
import type { LentEntry, TextPlace } from '#model/query/access.js';
import type { Child } from '#model/query/plan.js';

type Mark = NonNullable<LentEntry['mark']>;

/** Attributes of these types have texts that people read. */
const readTypes: ReadonlySet<string> = new Set(['string', 'text', 'richtext']);

/** Returns an entry whose texts, and those of all that it populates, are marked with their places. */
export function markTexts(entry: LoadedEntry, mark: Mark): LoadedEntry {
  const marked = new Map<LoadedEntry, LoadedEntry>();
  const markEntry = (one: LoadedEntry): LoadedEntry => {
    const markedEntry = marked.get(one) ?? markAt(one, { ...placeOf(one), path: [] });
    marked.set(one, markedEntry);
    return markedEntry;
  };

  function markAt(one: LoadedEntry, place: TextPlace): LoadedEntry {
    const { fields, children } = one.selection;
    const texts = fields.flatMap(({ name, type }) => {
      const text = readTypes.has(type) ? one.document[name] : null;
      return typeof text === 'string' && text !== '' ? [[name, mark(text, below(place, name))] as const] : [];
    });
    const document = texts.length === 0 ? one.document : { ...one.document, ...Object.fromEntries(texts) };
    return { ...one, document, children: one.children.map((related, index) => markChild(related, children[index], place)) };
  }

  function markChild(related: RelatedEntries, child: Child | undefined, place: TextPlace): RelatedEntries {
    if (typeof related === 'number' || child === undefined) return related; // the other locales have no texts
    if (child.kind !== 'component' && child.kind !== 'zone') return related.map(markEntry);
    const { attribute } = child;
    const isList = child.kind === 'zone' || child.attribute.repeatable;
    return related.map((part, index) => markAt(part, below(place, attribute.name, ...(isList ? [index] : []))));
  }
  return markEntry(entry);
}

const below = (place: TextPlace, ...names: TextPlace['path']): TextPlace => ({ ...place, path: [...place.path, ...names] });

function placeOf({ selection: { type }, document }: LoadedEntry): Omit<TextPlace, 'path'> {
  const { _id: id, locale } = document;
  return { uid: type.uid, id: Number(id), locale: typeof locale === 'string' ? locale : null };
}
