import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { packageRoot } from '#base/package-root.js';
import { isRecord, type Values } from '#base/values.js';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import type { TestModel } from '../../support/serve.js';

/** Entries by type and id: their attributes in the form of a copy, without the times of their creation and last update. */
type State = Readonly<Record<string, Readonly<Record<string, Values>>>>;

/** A request and its answer, or new rights of the users. */
interface Step {
  readonly about?: string;
  /** Who sends it: `editor` may do everything, `ann` and `bob` have the rights of the users. */
  readonly as?: string;
  readonly request?: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly answer?: { readonly status: number; readonly body: unknown };
  readonly rights?: { readonly actions: readonly string[]; readonly rows?: object; readonly fields?: object };
  /** What is stored afterwards; as before if absent. */
  readonly after?: State;
}

/** What is said between clients and the service, in order. */
export interface Transcript {
  readonly title: string;
  readonly about: string;
  readonly before: State;
  readonly steps: readonly Step[];
}

const directory = path.join(packageRoot, 'test/api/push/transcripts');

const readJson = (name: string): unknown => JSON.parse(readFileSync(path.join(directory, name), 'utf8'));

/** The files of transcripts, in the order of their names. */
export const transcriptFiles = (): readonly string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.json') && name !== 'models.json')
    .sort();

export const readTranscript = (name: string): Transcript => readJson(name) as Transcript;

export const transcriptModels = (): readonly TestModel[] => readJson('models.json') as readonly TestModel[];

/** A placeholder for a value that the service chooses: `<id a>` is the same number wherever it stands, `<time>` any time. */
const placeholder = /^<(id|version|token|time)(?: (.*))?>$/;

const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: (value) => Number.isInteger(value),
  version: (value) => typeof value === 'string' && /^[^-]+$/.test(value),
  token: (value) => typeof value === 'string' && value !== '',
  time: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value),
};

/** The values of placeholders, as they were met first. */
export class Bindings {
  readonly #values = new Map<string, unknown>();

  /** Returns JSON with the values of placeholders, also in its keys. */
  fill(json: unknown): unknown {
    if (typeof json === 'string') return this.#fillText(json);
    if (Array.isArray(json)) return json.map((item) => this.fill(item));
    if (!isRecord(json)) return json;
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [String(this.#fillText(key)), this.fill(value)]));
  }

  #fillText(text: string): unknown {
    if (this.#values.has(text)) return this.#values.get(text);
    return text.replaceAll(/<(?:id|version|token) [^>]*>/g, (name) => String(this.#values.get(name) ?? name));
  }

  /** Binds the placeholders of expected JSON to actual JSON. Returns the expected JSON with what the placeholders stand for. */
  meet(expected: unknown, actual: unknown): unknown {
    if (typeof expected === 'string') return this.#meetText(expected, actual);
    if (Array.isArray(expected)) return expected.map((item, index) => this.meet(item, (actual as unknown[] | null)?.[index]));
    if (!isRecord(expected)) return expected;
    const values = isRecord(actual) ? actual : {};
    return Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, this.meet(value, values[key])]));
  }

  #meetText(text: string, actual: unknown): unknown {
    const [, kind] = placeholder.exec(text) ?? [];
    if (kind === undefined) return text;
    if (forms[kind]?.(actual) !== true) return text;
    if (kind === 'time') return actual;
    if (!this.#values.has(text)) this.#values.set(text, actual);
    return this.#values.get(text);
  }
}

/** The service that transcripts are replayed against. */
export interface Stage {
  readonly service: ServingAccounts;
  readonly tokens: Readonly<Record<string, string>>;
  readonly types: readonly string[];
}

/** Starts the service. */
export async function openStage(): Promise<Stage> {
  const models = transcriptModels();
  const types = models.flatMap(({ kind, info }) => (kind === undefined ? [] : [(info as { pluralName: string }).pluralName]));
  // so that new entries of different types have different ids
  const documents = Object.fromEntries(types.map((type, index) => [type, [{ _id: 1_000 * (index + 1) }]]));
  const service = await serveAccounts({ models, documents });
  await service.admin('POST', '/locales', { code: 'fr', name: 'French' });
  const { body } = await service.admin('POST', '/tokens', { name: 'editor', type: 'full-access' });
  for (const type of types) await service.as(body.data.accessKey, 'POST', `/api/${type}`, { data: { title: 'first' } });
  const [ann, bob] = [await service.addUser('ann'), await service.addUser('bob')];
  return { service, tokens: { editor: body.data.accessKey, ann: ann.jwt, bob: bob.jwt }, types };
}

/** Stores the state before a transcript, and nothing else. */
export async function setScene({ service, types }: Stage, { before }: Pick<Transcript, 'before'>): Promise<void> {
  const { db } = service.database;
  const at = new Date('2026-01-01T00:00:00.000Z');
  await db.collection('_idempotency_keys').deleteMany({});
  await service.admin('PUT', '/roles/1', { actions: [] });
  await service.admin('PUT', '/roles/1/rules', { rows: null, fields: null });
  for (const type of types) {
    const rows = Object.entries(before[type] ?? {}).map(([id, values]) => ({
      _id: Number(id) as never,
      ...storedForm(values),
      createdAt: at,
      updatedAt: at,
    }));
    await db.collection(type).deleteMany({});
    if (rows.length > 0) await db.collection(type).insertMany(rows);
  }
}

/** Returns an entry of a copy as it is stored: ids in place of related entries, and dates. */
function storedForm(values: Values): Values {
  const linked = (value: unknown): unknown =>
    isRecord(value) && isDeepStrictEqual(Object.keys(value), ['id']) ? value['id'] : value;
  const stored = Object.entries(values).map(([name, value]) => [
    name,
    name === 'publishedAt' && typeof value === 'string'
      ? new Date(value)
      : Array.isArray(value)
        ? value.map(linked)
        : linked(value),
  ]);
  return Object.fromEntries(stored) as Values;
}

/** Returns what is stored: the copies of an editor, with drafts. */
export async function readState({ service, tokens, types }: Stage): Promise<State> {
  const states: [string, Record<string, Values>][] = [];
  for (const type of types) {
    const path = `/api/sync/${type}?publicationState=preview&locale=all`;
    const { status, body } = await service.as(tokens['editor'] ?? '', 'GET', path);
    expect(status, JSON.stringify(body)).to.equal(200);
    const entries = (body.data as readonly { id: number; attributes: Values }[]).map(({ id, attributes }) => {
      const others = Object.entries(attributes).filter(([name]) => name !== 'createdAt' && name !== 'updatedAt');
      return [String(id), Object.fromEntries(others)] as const;
    });
    if (entries.length > 0) states.push([type, Object.fromEntries(entries)]);
  }
  return Object.fromEntries(states);
}

/** Carries out a step. Returns the answer to its request; null if it has none. */
export async function play(step: Step, bindings: Bindings, { service, tokens }: Stage) {
  if (step.rights !== undefined) {
    const { actions, rows = null, fields = null } = step.rights;
    expect((await service.admin('PUT', '/roles/1', { actions })).status).to.equal(200);
    expect((await service.admin('PUT', '/roles/1/rules', { rows, fields })).status).to.equal(200);
  }
  if (step.request === undefined) return null;
  const { method, path: at, body } = bindings.fill(step.request) as NonNullable<Step['request']>;
  const { status, body: answered } = await service.as(tokens[step.as ?? 'editor'] ?? '', method, at, body);
  return { status, body: answered as unknown };
}
