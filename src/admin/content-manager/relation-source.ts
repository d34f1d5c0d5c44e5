import { isDeepStrictEqual } from 'node:util';
import { badRequestError, forbiddenError } from '#base/errors.js';
import { is, type Match } from '#store/form/matches.js';
import { withDrafts } from '#content/drafts.js';
import { findFirst } from '#store/stored.js';
import { type AttributePlace, findPlaces } from '#model/schema/attribute-places.js';
import type { Attribute, ContentType, LinkAttribute } from '#model/schema/content-type.js';
import type { PanelCall } from '../panel-route.js';
import { explorer, shownTypes } from '../rights/actions.js';
import { permittedAttributes } from '../rights/field-paths.js';
import { fieldsFor, may } from '../rights/rights.js';
import { callOnEntry, findEntry } from './entry-rights.js';

/** A relation of a type or a component. */
export interface Source {
  /** The type or component. */
  readonly model: ContentType;
  readonly link: LinkAttribute;
  readonly target: ContentType;
}

/** Where entries of a type have a relation. */
interface Place {
  readonly type: ContentType;
  /** The components around it. */
  readonly steps: AttributePlace['steps'];
}

/** The place of a relation in one entry. */
export interface Holder extends Place {
  /** The id of the entry. */
  readonly id: number;
  /** The id of the entry or component that has the relation. */
  readonly partId: number;
}

/** Returns the relation in the path of a request. Throws a BadRequestError if there is none. */
export function linkOf({ request, content }: PanelCall): Source {
  const { types } = content.bind.registry;
  const { uid = '', field = '' } = request.params;
  const model = types.get(uid);
  if (model === undefined) throw badRequestError("The model doesn't exist");
  const link = permittedAttributes(model).find(({ name }) => name === field);
  const target = link?.kind === 'relation' ? types.get(link.target) : undefined;
  if (link?.kind !== 'relation' || target === undefined) throw badRequestError("This relational field doesn't exist");
  return { model, link, target };
}

/** Returns where the administrator may read a relation: in its type, or in each type whose entries have its component. */
export function placesOf({ model, link }: Source, { content, rights }: PanelCall): readonly Place[] {
  const { registry } = content.bind;
  const types = shownTypes(registry).filter(
    (type) => (model.kind === 'component' || type === model) && may(rights, `${explorer}.read`, type.uid),
  );
  const isLink = (attribute: Attribute): attribute is LinkAttribute => attribute === link;
  return types.flatMap((type) => {
    const paths = rights.isSuper ? null : [...fieldsFor(rights, type.uid)];
    return findPlaces(type, registry, isLink)
      .filter((place) => paths === null || paths.some((path) => names(path, place)))
      .map(({ steps }) => ({ type, steps }));
  });
}

/** Returns whether a path of a permission allows a place. Dynamic zones are named as a whole. */
function names(path: string, { steps, attribute }: AttributePlace): boolean {
  const whole = [...steps.map(({ name }) => name), attribute.name].join('.');
  return whole === path || whole.startsWith(`${path}.`);
}

/**
 * Returns the entry that has a relation, by its id or by that of its component; null if there is none. Throws the errors of
 * `findEntry`. Components have no collection of their own, so that those of other types are looked for in all of their places.
 */
export async function findHolder(source: Source, id: number, call: PanelCall): Promise<Holder | null> {
  for (const place of placesOf(source, call)) {
    const { type, steps } = place;
    const entry = await entryWith(place, id, call);
    if (entry === null) continue;
    const own = await callOnEntry({ type, id: entry }, { call, action: 'read' });
    await findEntry({ type, id: entry }, { call: own, action: 'read' });
    if (!placesOf(source, own).some((one) => one.type === type && isDeepStrictEqual(one.steps, steps))) throw forbiddenError();
    return { type, steps, id: entry, partId: id };
  }
  return null;
}

/** Returns the id of the entry that has a component at a place; that of the entry itself if the place is in no component. */
async function entryWith({ type, steps }: Place, id: number, { content }: PanelCall): Promise<number | null> {
  if (steps.length === 0) return id;
  const { store } = await withDrafts(content, new Set([type]));
  const entry = await findFirst(store.database, type.collection, matchOf(steps, id));
  return entry === null ? null : Number(entry['_id']);
}

function matchOf(steps: Place['steps'], id: number): Match {
  const [first, ...others] = steps;
  if (first === undefined || first.zone === null) return { [pathTo(steps)]: id };
  return { [first.name]: is.withElement({ __component: first.zone, [pathTo(others)]: id }) };
}

const pathTo = (steps: Place['steps']): string => [...steps.map(({ name }) => name), 'id'].join('.');
