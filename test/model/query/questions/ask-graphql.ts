import type { Answer } from './oracle.js';
import type { Asked, AskedLead, List, Question } from './question.js';
import { holderOf, holders, type Holder } from './world.js';

type Values = Readonly<Record<string, unknown>>;

/** The operation of a question over GraphQL, with its field as `found`. */
export function graphqlQuery({ type, id, asked, page, locale, counts, ...list }: Question): string {
  const holder = holderOf(type);
  const data = `data { ${entryOf(asked, holder)} }`;
  if (id !== null) return `{ found: ${type}(id: ${String(id)}) { ${data} } }`;
  const window = page === null ? {} : { pagination: page };
  const args = listArguments(list, { ...window, ...(locale !== null && { locale }) });
  return `{ found: ${String(holder.plural)}${args} { ${data} ${counts ? 'meta { pagination { total pageCount } }' : ''} } }`;
}

function listArguments({ filter, sort, start, limit, state }: List, more: Values = {}): string {
  const window = { ...(start !== null && { start }), ...(limit !== null && { limit }) };
  const args = {
    ...(filter !== null && { filters: filter }),
    ...(sort.length > 0 && { sort: sort.map(({ path, order }) => `${path.join('.')}:${order}`) }),
    ...(Object.keys(window).length > 0 && { pagination: window }),
    ...more,
  };
  const written = [...Object.entries(args).map(([name, value]) => `${name}: ${literal(value)}`), ...stateArgument(state)];
  return written.length === 0 ? '' : `(${written.join(', ')})`;
}

const stateArgument = (state: List['state']): string[] => (state === null ? [] : [`publicationState: ${state.toUpperCase()}`]);

/** A value as GraphQL writes it; operators go without their `$`. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${name.replace('$', '')}: ${literal(inner)}`)
    .join(', ')} }`;
}

function entryOf(asked: Asked, holder: Holder): string {
  const attributes = attributesOf(asked, holder);
  return attributes === '' ? 'id' : `id attributes { ${attributes} }`;
}

function attributesOf({ fields, leads, fragments, inFragment }: Asked, holder: Holder): string {
  const written = [
    ...fields,
    ...Object.entries(leads).map(([name, lead]) => leadField(name, lead, holder)),
    ...Object.entries(fragments).map(([name, group]) => groupField(name, group, holder)),
  ].join(' ');
  return inFragment && written !== '' ? `... on ${typeNameOf(holder)} { ${written} }` : written;
}

function leadField(name: string, lead: AskedLead, { links, parts }: Holder): string {
  const { to = '', many = false } = links[name] ?? parts[name] ?? {};
  const args = many ? listArguments(lead) : '';
  const target = holderOf(to);
  return name in parts
    ? `${name}${args} { id ${attributesOf(lead.asked, target)} }`
    : `${name}${args} { data { ${entryOf(lead.asked, target)} } }`;
}

function groupField(name: string, group: Readonly<Record<string, AskedLead>>, holder: Holder): string {
  const id = name in holder.zones ? 'id ' : '';
  const fragments = Object.entries(group).flatMap(([to, { asked }]) => {
    const attributes = `${id}${attributesOf(asked, holderOf(to))}`;
    return attributes === '' ? [] : [`... on ${typeNameOf(holderOf(to))} { ${attributes} }`];
  });
  return `${name} { ${['__typename', ...fragments].join(' ')} }`;
}

/** `Article`, `UsersPermissionsUser`, `ComponentBoxPart`. */
function typeNameOf({ uid, plural }: Holder): string {
  const [category = '', name = ''] = uid.replace(/^api::.*(?=\.)|^plugin::/, '').split('.');
  const words = plural === null ? ['component', category, name] : [...category.split('-'), name];
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Reads an answer over GraphQL. */
export function readGraphql({ type, id, asked, page }: Question, found: Values): Answer {
  const holder = holderOf(type);
  if (id !== null) {
    const entries = [found['data'] ?? []].flat().map((entry) => readEntry(entry, asked, holder));
    return { entries, total: null, pageCount: null };
  }
  const entries = (found['data'] as readonly unknown[]).map((entry) => readEntry(entry, asked, holder));
  const { pagination = null } = (found['meta'] ?? {}) as { pagination?: { total: number; pageCount: number } };
  const pageCount = page === null ? null : (pagination?.pageCount ?? null);
  return { entries, total: pagination?.total ?? null, pageCount };
}

function readEntry(entry: unknown, asked: Asked, holder: Holder): Values {
  const { id, attributes = {} } = entry as { id: string; attributes?: Values };
  return readValues({ id, ...attributes }, asked, holder);
}

function readValues(values: Values, { leads, fragments }: Asked, holder: Holder): Values {
  const read = Object.entries(values).map(([name, value]) => {
    const [lead, group, link, part] = [leads[name], fragments[name], holder.links[name], holder.parts[name]];
    if (name === 'id') return [name, Number(value)];
    if (lead !== undefined && link !== undefined)
      return [name, each((value as Values)['data'], (one) => readEntry(one, lead.asked, holderOf(link.to)))];
    if (lead !== undefined && part !== undefined)
      return [name, each(value, (one) => readValues(one as Values, lead.asked, holderOf(part.to)))];
    return [name, group === undefined ? value : readGroup(value as readonly Values[], group)];
  });
  return Object.fromEntries(read) as Values;
}

const each = (value: unknown, read: (one: unknown) => Values): unknown =>
  Array.isArray(value) ? value.map(read) : value === null ? null : read(value);

/** What no fragment is for shows its type alone. */
const readGroup = (items: readonly Values[], group: Readonly<Record<string, AskedLead>>): unknown[] =>
  items.flatMap(({ __typename: name, ...values }) => {
    const type = Object.keys(holders).find((one) => typeNameOf(holderOf(one)) === name) ?? '';
    const lead = group[type];
    return lead === undefined ? [] : [{ type, ...readValues(values, lead.asked, holderOf(type)) }];
  });
