import { emptyQuery, fieldOf, type Populate, type PopulateField, type Query } from '#model/query/ast.js';
import { type Access, maySee, readable } from '#model/query/access.js';
import type { BindContext } from '#model/query/bind-context.js';
import { parsePopulate } from '#model/query/parse-populate.js';
import { type Attribute, attributeOf, type ContentType, type Registry, uploadFile } from '#model/schema/content-type.js';
import { componentsOf } from '#model/schema/parts.js';
import type { Values } from '#base/values.js';
import { describeFilter } from './translate-read.js';

type Viewer = Pick<BindContext, 'access' | 'registry' | 'limits'>;

/**
 * Returns a query of a client without the relations of `populate` that lead to entries which the caller may not find, as `sanitizeQuery`
 * of Strapi v4. It is the same object if there are none.
 */
export function withVisiblePopulate(query: Values, type: ContentType, viewer: Viewer): Values {
  const asked = parsePopulate(query['populate'], viewer.limits);
  const shown = visiblePopulate(asked, [type], viewer);
  return shown === asked ? query : { ...query, populate: describe(shown) };
}

/** Returns the relations that may be populated in entries or components of the types. */
function visiblePopulate(populate: Populate, types: readonly ContentType[], viewer: Viewer): Populate {
  const names = populate.all ? relationsOf(types) : [];
  const isWhole = names.every((name) => isVisible(name, types, viewer));
  const fields = populate.fields.flatMap((field) =>
    isVisible(field.name, types, viewer) ? [visibleField(field, types, viewer)] : [],
  );
  if (isWhole && fields.length === populate.fields.length && fields.every((field, index) => field === populate.fields[index]))
    return populate;
  if (isWhole) return { all: populate.all, fields };
  const others = names.filter((name) => isVisible(name, types, viewer) && fields.every((field) => field.name !== name));
  return { all: false, fields: [...fields, ...others.map((name) => fieldOf(name, { ...emptyQuery, withTotal: false }))] };
}

function visibleField(field: PopulateField, types: readonly ContentType[], viewer: Viewer): PopulateField {
  const { query, on } = field;
  const targets = types.flatMap((type) => targetsOf(attributeOf(type, field.name), viewer.registry));
  const inside = (inner: Query, of: readonly ContentType[]): Query => {
    const populate = visiblePopulate(inner.populate, of, viewer);
    return populate === inner.populate ? inner : { ...inner, populate };
  };
  const shown = inside(query, targets);
  const ofTypes = on && new Map([...on].map(([uid, one]) => [uid, inside(one, targets.filter((type) => type.uid === uid))])); // prettier-ignore
  const isSame = shown === query && [...(ofTypes ?? [])].every(([uid, one]) => on?.get(uid) === one);
  return isSame ? field : { ...field, query: shown, on: ofTypes };
}

/** Returns whether a name may be populated in each of the types that have it. Names of no attribute mean nothing. */
const isVisible = (name: string, types: readonly ContentType[], { access }: Viewer): boolean =>
  types.every((type) => {
    const attribute = attributeOf(type, name);
    return attribute === undefined || (readable(type, name, access) !== null && mayLead(attribute, access));
  });

function mayLead(attribute: Attribute, access: Access): boolean {
  if (attribute.kind === 'morph') return (attribute.targets ?? []).every((uid) => maySee(access, uid));
  return attribute.kind !== 'relation' || maySee(access, attribute.target);
}

function targetsOf(attribute: Attribute | undefined, { types }: Registry): readonly ContentType[] {
  if (attribute === undefined) return [];
  if (attribute.kind === 'morph' && attribute.targets === null) return [...types.values()];
  const uids =
    attribute.kind === 'morph'
      ? (attribute.targets ?? [])
      : attribute.kind === 'media'
        ? [uploadFile]
        : attribute.kind === 'relation'
          ? [attribute.target]
          : componentsOf(attribute);
  return uids.flatMap((uid) => types.get(uid) ?? []);
}

const relationsOf = (types: readonly ContentType[]): readonly string[] => {
  const attributes = types.flatMap((type) => [...type.attributes.values()]);
  return [...new Set(attributes.filter(({ kind }) => kind !== 'scalar').map(({ name }) => name))];
};

/** Returns `populate` in the form of a query: parameters by name. */
const describe = ({ all, fields }: Populate): Values => ({
  ...(all && { '*': true }),
  ...Object.fromEntries(
    fields.map(({ name, query, on, countOnly, reversed }) => {
      const parts = {
        ...describeQuery(query),
        ...(countOnly && { count: true }),
        ...(reversed && { ordering: 'desc' }),
        ...(on !== null && { on: Object.fromEntries([...on].map(([uid, one]) => [uid, orTrue(describeQuery(one))])) }),
      };
      return [name, orTrue(parts)] as const;
    }),
  ),
});

const orTrue = (parts: Values): Values | true => (Object.keys(parts).length === 0 ? true : parts);

const describeQuery = ({ filter, sort, fields, populate, pagination, publicationState, locale }: Query): Values => ({
  ...(fields !== null && { fields }),
  ...(filter !== null && { filters: describeFilter(filter) }),
  ...(sort.length > 0 && { sort: sort.map(({ path, order }) => `${path.join('.')}:${order}`) }),
  ...(pagination?.kind === 'offset' && { start: pagination.start, limit: pagination.limit ?? -1 }),
  ...(publicationState !== null && { publicationState }),
  ...(locale !== null && { locale }),
  ...((populate.all || populate.fields.length > 0) && {
    populate: populate.all && populate.fields.length === 0 ? '*' : describe(populate),
  }),
});
