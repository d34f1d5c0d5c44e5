import qs from 'qs';
import type { Answer } from './oracle.js';
import type { Asked, AskedLead, List, Question } from './question.js';
import { holderOf, holders, type Holder, type Lead } from './world.js';

type Values = Readonly<Record<string, unknown>>;

/** The path of a question over REST. */
export function restPath({ type, id, asked, page, locale, counts, ...list }: Question): string {
  const { start, limit, ...nested } = queryOf(list, asked, holderOf(type));
  const window = {
    ...(page ?? { ...(start !== undefined && { start }), ...(limit !== undefined && { limit }) }),
    ...(!counts && { withCount: false }),
  };
  const query = {
    ...nested,
    ...(Object.keys(window).length > 0 && { pagination: window }),
    ...(locale !== null && { locale }),
  };
  return `/api/${holderOf(type).plural ?? ''}${id === null ? '' : `/${String(id)}`}?${qs.stringify(query)}`;
}

/** `id` stands for no fields. */
function queryOf({ filter, sort, start, limit, state }: List, asked: Asked, holder: Holder): Record<string, unknown> {
  const populate = populateOf(asked, holder);
  return {
    fields: asked.fields.length === 0 ? ['id'] : asked.fields,
    ...(Object.keys(populate).length > 0 && { populate }),
    ...(filter !== null && { filters: filter }),
    ...(sort.length > 0 && { sort: sort.map(({ path, order }) => `${path.join('.')}:${order}`) }),
    ...(start !== null && { start }),
    ...(limit !== null && { limit }),
    ...(state !== null && { publicationState: state }),
  };
}

function populateOf({ leads, fragments }: Asked, holder: Holder): Record<string, unknown> {
  const related = Object.entries(leads).map(([name, lead]) => {
    const { to = '' } = { ...holder.links, ...holder.parts }[name] ?? {};
    return [name, queryOf(lead, lead.asked, holderOf(to))];
  });
  const grouped = Object.entries(fragments).map(([name, group]) => {
    const on = Object.entries(group).map(([to, lead]) => [holderOf(to).uid, queryOf(lead, lead.asked, holderOf(to))]);
    return [name, on.length === 0 ? { on: { 'no.type': true } } : { on: Object.fromEntries(on) as Values }];
  });
  return Object.fromEntries([...related, ...grouped]) as Values;
}

/** Reads an answer over REST. */
export function readRest({ type, id, asked, page }: Question, status: number, body: Values): Answer {
  if (id !== null)
    return {
      entries: status === 404 ? [] : [readEntry(body['data'], asked, holderOf(type), 'enveloped')],
      total: null,
      pageCount: null,
    };
  const { pagination } = body['meta'] as { pagination: { total?: number; pageCount?: number } };
  const entries = (body['data'] as readonly unknown[]).map((entry) => readEntry(entry, asked, holderOf(type), 'enveloped'));
  return { entries, total: pagination.total ?? null, pageCount: page === null ? null : (pagination.pageCount ?? null) };
}

/** How entries stand in an answer: with `data` and `attributes`, or bare, as in everything that a polymorphic target populates. */
type Form = 'enveloped' | 'bare';

function readEntry(entry: unknown, asked: Asked, holder: Holder, form: Form): Values {
  if (form === 'bare') return readValues(entry as Values, asked, holder, form);
  const { id, attributes } = entry as { id: number; attributes: Values };
  return readValues({ id, ...attributes }, asked, holder, form);
}

/** Keys that nobody asked for stay. A polymorphic relation without targets is left out of an answer. */
function readValues(values: Values, { leads, fragments }: Asked, holder: Holder, form: Form): Values {
  const empty = Object.fromEntries(Object.keys(fragments).map((name) => [name, []]));
  const read = Object.entries({ ...empty, ...values }).map(([name, value]) => {
    const [lead, group, link, part] = [leads[name], fragments[name], holder.links[name], holder.parts[name]];
    if (lead !== undefined && link !== undefined)
      return [name, each(relatedIn(value, link, form), (one) => readEntry(one, lead.asked, holderOf(link.to), form))];
    if (lead !== undefined && part !== undefined)
      return [name, each(value, (one) => readValues(one as Values, lead.asked, holderOf(part.to), form))];
    return [name, group === undefined ? value : readGroup(value as readonly Values[], group, form)];
  });
  return Object.fromEntries(read) as Values;
}

/** As in Strapi v4, an empty list of files, or of entries that hold a polymorphic relation, is null. */
function relatedIn(value: unknown, { many }: Lead, form: Form): unknown {
  const related = form === 'bare' ? value : (value as Values)['data'];
  return many ? (related ?? []) : related;
}

const each = (value: unknown, read: (one: unknown) => Values): unknown =>
  Array.isArray(value) ? value.map(read) : value === null ? null : read(value);

const readGroup = (items: readonly Values[], group: Readonly<Record<string, AskedLead>>, form: Form): unknown[] =>
  items.map(({ __component: component, __type: target, id, ...values }) => {
    const type = Object.keys(holders).find((name) => holderOf(name).uid === (component ?? target)) ?? 'unknown';
    const asked = group[type]?.asked ?? { fields: [], leads: {}, fragments: {}, inFragment: false };
    const inner = component === undefined ? 'bare' : form;
    return { type, ...(component !== undefined && { id }), ...readValues(values, asked, holderOf(type), inner) };
  });
