import { isDeepStrictEqual } from 'node:util';

interface Named {
  readonly uid: string;
  readonly attributes?: unknown;
}

/** Returns whether the stored model is identical, including the order of attributes, which is that in answers. */
export function isStoredAs(document: Named, stored: readonly Named[]): boolean {
  const before = stored.find(({ uid }) => uid === document.uid);
  return isDeepStrictEqual(before, document) && isDeepStrictEqual(namesOf(before), namesOf(document));
}

const namesOf = (document: Named | undefined): readonly string[] => Object.keys(Object(document?.attributes) as object);
