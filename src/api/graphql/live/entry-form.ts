import type { FieldNode } from 'graphql';
import { validationError } from '#base/errors.js';
import type { ContentContext } from '#content/content-context.js';
import type { PopulateField, Query } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import { isOwn } from '../../sync/copy-query.js';
import type { EntryForm } from '../../sync/query.js';
import type { GraphqlContext } from '../graphql-context.js';
import { createRowShaper } from '../results.js';
import { collectFields, type Operation } from '../selection/collect-fields.js';
import { mergeSelections, readEntity } from '../selection/read-selection.js';
import type { ReadingContext } from '../selection/reading-context.js';
import { changeName } from '../type-names.js';

interface FormInput {
  readonly key: string;
  readonly operation: Operation;
  /** The field of the subscription. */
  readonly nodes: readonly FieldNode[];
}

/** The contexts of resolvers, by that of the reads that they belong to, and by the rows that were read. */
const contexts = new WeakMap<ContentContext, GraphqlContext>();
const contextsOfRows = new WeakMap<object, GraphqlContext>();

/** Returns the context in which entries are read for resolvers with a context, with the page sizes of GraphQL. */
export function noteContext(context: GraphqlContext, { content }: { readonly content: ContentContext }): ContentContext {
  const { settings } = context.content.bind;
  const reading = { ...content, bind: { ...content.bind, settings } };
  contexts.set(reading, context);
  return reading;
}

/** Returns the context of the resolvers of an entry. */
export function contextOfEntry(entry: object): GraphqlContext {
  const context = contextsOfRows.get(entry);
  if (context === undefined) throw new Error('the entry was read by something else');
  return context;
}

/** Returns how the entries of a subscription are read: as the fields below `entry` select them, by one plan for all. */
export const entryForm = ({ key, operation, nodes }: FormInput): EntryForm => ({
  key,
  select: (type, bind) => {
    const failures: ReadingContext['failures'] = new Map();
    const reading = { operation, bind, countType: bind.budget.typeCounter(), fieldResults: new Map(), failures };
    const parts = [...collectFields(nodes, changeName(type), operation)].flatMap(([alias, fields]) =>
      fields[0]?.name.value === 'entry' ? readEntity(fields, type, { holder: changeName(type), around: [alias] }, reading) : [],
    );
    for (const failure of failures.values()) throw failure;
    const selected = mergeSelections(parts);
    refuseFar(selected.populate.fields, { type, bind, isLinked: false });
    return selected;
  },
  copiesOf: (entries, content) => {
    const context = contexts.get(content);
    if (context === undefined) throw new Error('the caller was identified by something else');
    return entries.map(createRowShaper(context)).map((row) => {
      contextsOfRows.set(row, context);
      return { id: Number(row['id']), attributes: row };
    });
  },
});

interface Place {
  readonly type: ContentType;
  readonly bind: BindContext;
  /** Whether it is that of an entry that another one links. */
  readonly isLinked: boolean;
}

/** Throws a ValidationError for what is further away than the entries that an entry links, because its changes are not followed. */
function refuseFar(fields: readonly PopulateField[], { type, bind, isLinked }: Place): void {
  for (const { name, query, on } of fields) {
    const attribute = type.attributes.get(name);
    if (attribute === undefined) continue;
    const isLink = attribute.kind === 'relation' || attribute.kind === 'media' || attribute.kind === 'morph';
    if (isLink && (isLinked || !isOwn(attribute))) throw tooFar(name);
    for (const [uid, { populate, sort }] of [...(on ?? []), ...ownTargets(attribute, query)]) {
      const target = bind.registry.types.get(uid);
      if (sort.some(({ path }) => path.length > 1)) throw tooFar(name);
      if (target !== undefined) refuseFar(populate.fields, { type: target, bind, isLinked: isLinked || isLink });
    }
  }
}

/** Returns what is selected of the target of an attribute, by its uid. */
function ownTargets(attribute: Attribute, query: Query): readonly (readonly [uid: string, query: Query])[] {
  if ('target' in attribute) return [[attribute.target, query]];
  return attribute.kind === 'component' ? [[attribute.component, query]] : [];
}

const tooFar = (name: string): Error =>
  validationError(
    `Invalid parameter ${name}: a subscription follows what an entry stores, and scalars and components of the entries that it links; ` +
      'ask for the others by a query with @live',
  );
