import type { Document } from 'mongodb';
import type { ContentType } from '../schema/content-type.js';
import type { LinkChild, MorphChild, Selection } from '../query/plan.js';

/** A populated relation with the entries and components whose related documents are still to be read. */
export interface Need {
  readonly child: LinkChild | MorphChild;
  /** The type that has the relation. */
  readonly owner: ContentType;
  readonly containers: readonly Document[];
}

/** The relations that a selection populates on these documents, inside their components and dynamic zones too. */
export function collectNeeds(selection: Selection, documents: readonly Document[]): Need[] {
  if (documents.length === 0) return [];
  const children = selection.locales === null ? selection.children : [...selection.children, selection.locales];
  return children.flatMap((child) => {
    switch (child.kind) {
      case 'link':
      case 'morph':
        return [{ child, owner: selection.type, containers: documents }];
      case 'component':
        return collectNeeds(child.selection, embedded(documents, child.attribute.name));
      case 'zone':
        return [...child.selections].flatMap(([uid, inner]) =>
          collectNeeds(
            inner,
            embedded(documents, child.attribute.name).filter((part) => part['__component'] === uid),
          ),
        );
    }
  });
}

const embedded = (documents: readonly Document[], name: string): Document[] =>
  documents.flatMap((document) => (document[name] ?? []) as Document | Document[]); // components are stored as documents
