import { expect } from 'chai';
import qs from 'qs';
import { findName } from '../../src/graphql/schema/names.js';
import { buildRegistry } from '../../src/schema/build-registry.js';
import type { Attribute, ContentType } from '../../src/schema/content-type.js';
import { bookshopModels } from '../support/read-project.js';
import { serveAccounts, type ServingAccounts } from './serve-accounts.js';

const models = bookshopModels();
const { registry } = buildRegistry(models);
const types = [...registry.types.values()].filter(({ uid, kind }) => uid.startsWith('api::') && kind === 'collectionType');
const rows = 3;

/** Every text says where it belongs: `<<uid attribute>>`. */
const tag = (uid: string, name: string): string => `<<${uid} ${name}>>`;
const tags = /<<(\S+) (\S+?)>>/g;
const texts: ReadonlySet<string> = new Set(['string', 'text', 'richtext']);

/** Numbers that come again with their seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

class Draw {
  readonly #next: () => number;
  constructor(seed: number) {
    this.#next = random(seed);
  }
  chance(share: number): boolean {
    return this.#next() < share;
  }
  of<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.#next() * items.length)];
  }
  some<Item>(items: readonly Item[], share: number): Item[] {
    return items.filter(() => this.chance(share));
  }
  whole(below: number): number {
    return Math.floor(this.#next() * below);
  }
}

const partsOf = (type: ContentType): Attribute[] => [...type.attributes.values()];

/** Stored values of one entry or component, linked to whatever there is. */
function valuesOf(type: ContentType, draw: Draw, depth: number): Record<string, unknown> {
  const id = (): number => 1 + draw.whole(rows);
  const part = (uid: string): Record<string, unknown> | null => {
    const component = registry.types.get(uid);
    return component === undefined || depth > 3 ? null : { id: id(), ...valuesOf(component, draw, depth + 1) };
  };
  const valueOf = (attribute: Attribute): unknown => {
    switch (attribute.kind) {
      case 'scalar':
        return texts.has(attribute.type) ? tag(type.uid, attribute.name) : null;
      case 'relation':
      case 'media':
        return attribute.storage.kind !== 'own' ? undefined : attribute.many ? [1, 2, 3] : id();
      case 'morph':
        return attribute.many ? types.map(({ uid }) => ({ __type: uid, id: id() })) : { __type: draw.of(types)?.uid, id: id() };
      case 'component':
        return attribute.repeatable ? [part(attribute.component)].filter(Boolean) : part(attribute.component);
      case 'dynamiczone':
        return attribute.components.map((uid) => ({ __component: uid, ...part(uid) }));
    }
  };
  const system: Record<string, unknown> = { createdAt: new Date(), updatedAt: new Date(), publishedAt: new Date() };
  const values = partsOf(type).map((attribute) => [attribute.name, system[attribute.name] ?? valueOf(attribute)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

const documentsOf = (type: ContentType): object[] =>
  Array.from({ length: rows }, (_, index) => ({
    _id: index + 1,
    ...unique(valuesOf(type, new Draw(index + 7), 0), index),
    ...(type.localized && { locale: 'en', _group: index + 1 }),
  }));

/** Texts differ from entry to entry, for indexes on them. */
const unique = (values: Record<string, unknown>, index: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? `${value}${String(index)}` : value]),
  );

/** What the oracle knows of a caller: the types that it may find. */
type Grants = ReadonlySet<string>;

/** A random path into a filter or sort, and whether the caller may walk it to its end. */
interface Walk {
  readonly path: readonly string[];
  readonly mayRead: boolean;
}

function walk(type: ContentType, grants: Grants, draw: Draw, depth: number): Walk {
  const ends = partsOf(type).filter((attribute) => attribute.kind === 'scalar' && texts.has(attribute.type));
  const steps = partsOf(type).filter(({ kind }) => kind === 'relation' || kind === 'component');
  const step = depth < 5 && draw.chance(0.7) ? draw.of(steps) : undefined;
  const target = step === undefined ? undefined : targetOf(step);
  if (step === undefined || target === undefined) {
    const end = draw.of(ends);
    return end === undefined ? { path: ['id'], mayRead: true } : { path: [end.name], mayRead: !end.private };
  }
  const rest = walk(target, grants, draw, depth + 1);
  const isFilterable = step.kind !== 'relation' || step.storage.kind !== 'morph';
  const maySee = step.kind !== 'relation' || grants.has(target.uid);
  return { path: [step.name, ...rest.path], mayRead: rest.mayRead && maySee && isFilterable && !step.private };
}

function targetOf(attribute: Attribute): ContentType | undefined {
  if (attribute.kind === 'relation') return registry.types.get(attribute.target);
  return attribute.kind === 'component' ? registry.types.get(attribute.component) : undefined;
}

const nest = (path: readonly string[], value: unknown): unknown => path.reduceRight((inner, name) => ({ [name]: inner }), value);

/** A random populate tree; it names what the caller may not see as well. */
function populate(type: ContentType, draw: Draw, depth: number): unknown {
  if (draw.chance(0.2)) return '*';
  const links = partsOf(type).filter(({ kind }) => kind !== 'scalar');
  const names = draw.some(links, 2 / (links.length * (1 + depth / 3)));
  const entries = names.map((attribute) => {
    const target = targetOf(attribute);
    const inner = target !== undefined && depth < 5 ? populate(target, draw, depth + 1) : '*';
    return [attribute.name, attribute.kind === 'relation' && draw.chance(0.2) ? { count: true } : { populate: inner }] as const;
  });
  return Object.fromEntries(entries);
}

/** A random selection set over the attributes of a type. */
function selection(type: ContentType, draw: Draw, depth: number): string {
  const fields = partsOf(type).flatMap((attribute) => {
    if (attribute.private || !draw.chance(attribute.kind === 'scalar' ? 0.5 : 0.35)) return [];
    if (attribute.kind === 'scalar') return texts.has(attribute.type) ? [attribute.name] : [];
    const target = targetOf(attribute);
    if (target === undefined || depth >= 5 || !target.uid.match(/^api::|^[^:]+$/)) return [];
    const inner = selection(target, draw, depth + 1);
    return attribute.kind === 'component'
      ? [`${attribute.name} { __typename ${inner} }`]
      : [`${attribute.name} { data { id attributes { __typename ${inner} } } }`];
  });
  return fields.join(' ');
}

/** The tags of an answer that the caller may not read. */
function leaks(answer: unknown, root: ContentType, grants: Grants): string[] {
  return [...JSON.stringify(answer).matchAll(tags)].flatMap(([whole, uid = '', name = '']) => {
    const type = registry.types.get(uid);
    const isShown = type?.kind === 'component' || uid === root.uid || grants.has(uid);
    return isShown && type?.attributes.get(name)?.private === false ? [] : [whole];
  });
}

/** Texts of entries that the answer shows through relations. */
const countRelated = (answer: unknown, root: ContentType): number =>
  [...JSON.stringify(answer).matchAll(tags)].filter(([, uid = '']) => uid.startsWith('api::') && uid !== root.uid).length;

describe('no answer holds what the role may not read', () => {
  const met = { forbidden: 0, refused: 0, related: 0, byGraphql: 0 };
  let server: ServingAccounts;
  before(async () => {
    const documents = Object.fromEntries(types.map((type) => [type.collection, documentsOf(type)]));
    server = await serveAccounts({ models, documents, config: { plugins: { graphql: { config: limits } } } });
  });
  after(() => server.stop());

  for (let seed = 1; seed <= 8; seed++)
    it(`under random grants and queries, seed ${String(seed)}`, async () => {
      const draw = new Draw(seed * 7919);
      const granted = draw.some(types, draw.chance(0.5) ? 0.3 : 0.7);
      const actions = granted.map(({ uid }) => `${uid}.find`);
      await server.admin('PUT', '/roles/2', { actions: [...actions, 'plugin::users-permissions.auth.callback'] });
      const grants: Grants = new Set(granted.map(({ uid }) => uid));
      for (let round = 0; round < 10; round++) {
        const root = draw.of(types);
        if (root !== undefined) await checkRest(root, grants, draw);
        if (root !== undefined) await checkGraphql(root, grants, draw);
      }
    });

  it('has met refusals and related entries of all sorts', () => {
    expect(met.forbidden).to.be.greaterThan(10);
    expect(met.refused).to.be.greaterThan(10);
    expect(met.related).to.be.greaterThan(100);
    expect(met.byGraphql).to.be.greaterThan(100);
  });

  async function checkRest(root: ContentType, grants: Grants, draw: Draw): Promise<void> {
    const filter = draw.chance(0.5) ? walk(root, grants, draw, 0) : null;
    const sort = draw.chance(0.3) ? walk(root, grants, draw, 0) : null;
    const query = {
      ...(draw.chance(0.8) && { populate: populate(root, draw, 0) }),
      ...(filter !== null && { filters: nest(filter.path, { $contains: '<<' }) }),
      ...(sort !== null && { sort: sort.path.join('.') }),
    };
    const path = `/api/${root.pluralName}?${qs.stringify(query)}`;
    const { status, body } = await server.as(null, 'GET', path);
    if (!grants.has(root.uid)) {
      met.forbidden++;
      return void expect(status, path).to.equal(403);
    }
    if (filter?.mayRead === false || sort?.mayRead === false) {
      met.refused++;
      return void expect(status, path).to.equal(400);
    }
    met.related += countRelated(body, root);
    expect(status, `${path} ${JSON.stringify(body)}`).to.be.oneOf([200, 400]);
    expect(leaks(body, root, grants), path).to.deep.equal([]);
  }

  async function checkGraphql(root: ContentType, grants: Grants, draw: Draw): Promise<void> {
    const query = `{ ${findName(root)} { data { id attributes { __typename ${selection(root, draw, 0)} } } } }`;
    const { status, body } = await server.as(null, 'POST', '/graphql', { query });
    expect(status, `${query} ${JSON.stringify(body)}`).to.be.oneOf([200, 400]);
    const shown = JSON.stringify(body.data ?? null);
    if (!grants.has(root.uid)) return void expect(shown).to.not.include('<<');
    met.byGraphql += countRelated(body.data ?? null, root);
    expect(leaks(body.data ?? null, root, grants), query).to.deep.equal([]);
  }
});

const limits = { depthLimit: 40, limits: { tokens: 20_000, cost: 10_000_000 } };
