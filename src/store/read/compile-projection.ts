import type { Document } from 'mongodb';
import { memoize } from '#base/caches.js';
import type { Child, Selection } from '#model/query/plan.js';
import type { Attribute, ScalarAttribute } from '#model/schema/content-type.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { versionFields } from '../form/loaded.js';

/** The part of a written document that an update returns. */
interface Returned {
  readonly projection: Document;
  /** Whether the projection may be omitted, because it excludes nothing large but lists of links. */
  readonly mayBeWhole: boolean;
}

/**
 * Returns the projection of a selection. Other values of the document (large texts, private values, components) stay on the
 * server. Populated components are read as a whole, and reduced when the answer is shaped.
 */
export const compileProjection = memoize(compile);

/** Returns the part of a single document that a selection reads, with the version of the entry. */
export const compileReturned = memoize((selection: Selection): Returned => ({
  projection: { ...compileProjection(selection), ...versionFields },
  mayBeWhole: leavesOutLittle(selection),
}));

function leavesOutLittle({ type, fields }: Selection): boolean {
  const read = new Set(fields.map(({ name }) => name));
  return [...type.attributes.values()].every((attribute) =>
    attribute.kind === 'scalar'
      ? isSmall(attribute) || (read.has(attribute.name) && !keepsTrigrams(attribute))
      : isLink(attribute),
  );
}

const isSmall = ({ type }: ScalarAttribute): boolean => small.has(scalarTypes[type].stored);

const small: ReadonlySet<string> = new Set(['number', 'date', 'boolean']);

const keepsTrigrams = ({ search }: ScalarAttribute): boolean => search?.kind === 'trigram';

const isLink = ({ kind }: Attribute): boolean => kind === 'relation' || kind === 'media';

function compile({ fields, children, locales, withVersions }: Selection): Document {
  const projection: Document = { _id: 1, ...(withVersions === true && versionFields) };
  for (const { name } of fields) projection[name] = 1;
  for (const child of children) Object.assign(projection, childPaths(child));
  if (locales !== null) projection['_group'] = 1;
  return projection;
}

function childPaths(child: Child): Document {
  if (child.kind !== 'link') return { [child.attribute.name]: 1 };
  const { storage, name } = child.link;
  if (storage.kind === 'own') return { [name]: 1 };
  return storage.kind === 'localizations' ? { _group: 1 } : {};
}
