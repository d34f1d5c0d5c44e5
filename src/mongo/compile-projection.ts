import type { Document } from 'mongodb';
import type { Child, Selection } from '../query/plan.js';

/**
 * The paths that a selection reads. Everything that is in the document but not asked for (large texts, private values,
 * components) stays on the server. Components are read whole: their parts are chosen when the answer is shaped.
 */
export function compileProjection(selection: Selection): Document {
  const kept = projections.get(selection);
  if (kept !== undefined) return kept;
  const projection = compile(selection);
  projections.set(selection, projection);
  return projection;
}

const projections = new WeakMap<Selection, Document>();

function compile({ fields, children, locales }: Selection): Document {
  const projection: Document = { _id: 1 };
  for (const { name } of fields) projection[name] = 1;
  for (const child of children) Object.assign(projection, childPaths(child));
  if (locales !== null) projection['_group'] = 1;
  return projection;
}

function childPaths(child: Child): Document {
  switch (child.kind) {
    case 'component':
    case 'zone':
    case 'morph':
      return { [child.attribute.name]: 1 };
    case 'link':
      return linkPaths(child.link.storage, child.link.name);
  }
}

function linkPaths(storage: Extract<Child, { kind: 'link' }>['link']['storage'], name: string): Document {
  if (storage.kind === 'own') return { [name]: 1 };
  return storage.kind === 'siblings' ? { _group: 1 } : {};
}
