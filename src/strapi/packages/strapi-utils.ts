import slugify from '@sindresorhus/slugify';
import type { Values } from '#base/values.js';
import { parseMultipartData } from '../routes/received-files.js';
import type { StrapiConfig } from '../load/strapi-config.js';

type Step = (value: unknown, ...rest: readonly unknown[]) => unknown;
type Reducer = (sum: unknown, value: unknown, index: number) => unknown;

type EachValue = (value: unknown, index: number) => unknown;

interface Concurrency {
  readonly concurrency?: number;
}

/** Returns the results in the order of the values. After an error no more values are begun. */
async function mapEach(
  values: Iterable<unknown>,
  map: EachValue,
  { concurrency = Infinity }: Concurrency = {},
): Promise<unknown[]> {
  if (concurrency !== Infinity && !(Number.isSafeInteger(concurrency) && concurrency >= 1))
    throw new TypeError(
      `Expected \`concurrency\` to be an integer from 1 and up or \`Infinity\`, got \`${String(concurrency)}\``,
    );
  const list = [...values];
  const waiting = list.entries(); // of all workers
  const results: unknown[] = [];
  let hasFailed = false;
  const work = async (): Promise<void> => {
    for (const [index, value] of waiting) {
      if (hasFailed) return;
      results[index] = await Promise.resolve(value).then((one) => map(one, index));
    }
  };
  const workers = Array.from({ length: Math.min(concurrency, list.length) }, work);
  await Promise.all(workers.map((worker) => worker.catch(fail)));
  return results;

  function fail(error: unknown): never {
    hasFailed = true;
    throw error;
  }
}

/** Asynchronous helpers of @strapi/utils. */
export const asyncHelpers = {
  /** Runs functions one after the other, each with the result of the previous one. */
  pipeAsync:
    (...steps: readonly Step[]) =>
    async (value: unknown, ...rest: readonly unknown[]): Promise<unknown> => {
      let result = value;
      for (const [index, step] of steps.entries()) result = await (index === 0 ? step(result, ...rest) : step(result));
      return result;
    },
  /** Calls a function for all values at once, or for `concurrency` values at a time. Without it, returns a function that takes it. */
  mapAsync: (values: Iterable<unknown>, map?: EachValue, options?: Concurrency): unknown =>
    map === undefined ? (map: EachValue) => mapEach(values, map, options) : mapEach(values, map, options),
  forEachAsync: async (values: Iterable<unknown>, run: EachValue, options?: Concurrency): Promise<void> =>
    void (await mapEach(values, run, options)),
  reduceAsync:
    (values: readonly unknown[]) =>
    async (reduce: Reducer, start?: unknown): Promise<unknown> => {
      let sum = start;
      for (const [index, value] of values.entries()) sum = await reduce(sum, await value, index);
      return sum;
    },
};

/** Helpers of @strapi/utils for values. */
export const valueHelpers = {
  parseMultipartData,
  nameToSlug: (name: string, options: object = { separator: '-' }): string => slugify(name, options),
  removeUndefined: (values: object): object =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
  /** Returns a function that adds an administrator to data as its editor and, unless `isEdition`, as its creator. */
  setCreatorFields:
    ({ user, isEdition = false }: { readonly user: { readonly id: unknown }; readonly isEdition?: boolean }) =>
    (data: object) => ({ ...data, ...(!isEdition && { createdBy: user.id }), updatedBy: user.id }),
};

type ConfigOf = Pick<StrapiConfig, 'get'>;

/** Helpers of @strapi/utils for addresses: of the service, and of an admin panel, which e-mails of projects link to. */
export const addressHelpers = {
  getAbsoluteServerUrl: serverUrl,
  getAbsoluteAdminUrl: (config: ConfigOf): string => {
    const url = String(config.get('admin.url') ?? 'admin').replace(/^[/ ]+|[/ ]+$/g, '');
    return url.startsWith('http') ? url : `${serverUrl(config)}/${url}`;
  },
};

function serverUrl(config: ConfigOf): string {
  const url = String(config.get('server.url') ?? '').replace(/^[/ ]+|[/ ]+$/g, '');
  if (url.startsWith('http')) return url;
  const host = String(config.get('server.host'));
  const isLocal = config.get('environment') === 'development' && ['127.0.0.1', '0.0.0.0'].includes(host);
  return `http://${isLocal ? 'localhost' : host}:${String(config.get('server.port'))}${url === '' ? '' : `/${url}`}`;
}

/** A model from `strapi.getModel(uid)`. */
interface Model {
  readonly kind?: string;
  readonly info?: { readonly singularName?: string; readonly pluralName?: string };
  readonly options?: { readonly draftAndPublish?: boolean };
  readonly attributes: Readonly<
    Record<
      string,
      { readonly type: string; readonly private?: boolean; readonly relation?: string } & Readonly<Partial<Record<Flag, boolean>>>
    >
  >;
}

type Attribute = Model['attributes'][string] | undefined;

type Flag = 'writable' | 'visible';

const timestampsOf = ({ attributes }: Model): string[] => ['createdAt', 'updatedAt'].filter((name) => name in attributes);

/** Returns the names of the attributes that a flag excludes. */
const namesWithout =
  (flag: Flag) =>
  (model: Model): string[] => {
    const excluded = Object.keys(model.attributes).filter((name) => model.attributes[name]?.[flag] === false);
    return [...new Set(['id', ...timestampsOf(model), ...excluded])];
  };

const namesWith =
  (flag: Flag) =>
  (model: Model): string[] => {
    const excluded = namesWithout(flag)(model);
    return Object.keys(model.attributes).filter((name) => !excluded.includes(name));
  };

const hasFlag =
  (flag: Flag) =>
  (model: Model, name: string): boolean =>
    namesWith(flag)(model).includes(name);

const notScalar: ReadonlySet<string> = new Set(['media', 'component', 'relation', 'dynamiczone']);
const isOf =
  (type: string) =>
  (attribute: Attribute): boolean =>
    attribute?.type === type;

/** `contentTypes` of @strapi/utils: functions that describe models. */
export const modelHelpers = {
  constants: {
    ID_ATTRIBUTE: 'id',
    PUBLISHED_AT_ATTRIBUTE: 'publishedAt',
    CREATED_AT_ATTRIBUTE: 'createdAt',
    UPDATED_AT_ATTRIBUTE: 'updatedAt',
    CREATED_BY_ATTRIBUTE: 'createdBy',
    UPDATED_BY_ATTRIBUTE: 'updatedBy',
    SINGLE_TYPE: 'singleType',
    COLLECTION_TYPE: 'collectionType',
    DP_PUB_STATE_LIVE: 'live',
    DP_PUB_STATE_PREVIEW: 'preview',
    DP_PUB_STATES: ['live', 'preview'],
  },
  isSingleType: ({ kind }: Model): boolean => kind === 'singleType',
  isCollectionType: ({ kind = 'collectionType' }: Model): boolean => kind === 'collectionType',
  hasDraftAndPublish: ({ options }: Model): boolean => options?.draftAndPublish === true,
  isDraft: (entry: Values, model: Model): boolean =>
    model.options?.draftAndPublish === true && (entry['publishedAt'] === null || entry['publishedAt'] === undefined),
  isScalarAttribute: (attribute: Attribute): boolean => attribute !== undefined && !notScalar.has(attribute.type),
  isMediaAttribute: isOf('media'),
  isRelationalAttribute: isOf('relation'),
  isComponentAttribute: (attribute: Attribute): boolean => isOf('component')(attribute) || isOf('dynamiczone')(attribute),
  isDynamicZoneAttribute: isOf('dynamiczone'),
  isMorphToRelationalAttribute: (attribute: Attribute): boolean =>
    isOf('relation')(attribute) && attribute?.relation?.startsWith('morphTo') === true,
  isKind:
    (kind: string) =>
    (model: Model): boolean =>
      model.kind === kind,
  getOptions: ({ options }: Model): object => ({ draftAndPublish: false, ...options }),
  getCreatorFields: ({ attributes }: Model): string[] => ['createdBy', 'updatedBy'].filter((name) => name in attributes),
  getComponentAttributes: ({ attributes }: Model): string[] =>
    Object.keys(attributes).filter((name) => ['component', 'dynamiczone'].includes(attributes[name]?.type ?? '')),
  /** Returns the name of a type in paths. */
  getContentTypeRoutePrefix: ({ kind, info }: Model): string | undefined =>
    kind === 'singleType' ? info?.singularName : info?.pluralName,
  isTypedAttribute: (attribute: Attribute, type: string): boolean => isOf(type)(attribute),
  isWritableAttribute: hasFlag('writable'),
  getWritableAttributes: namesWith('writable'),
  getNonWritableAttributes: namesWithout('writable'),
  isVisibleAttribute: hasFlag('visible'),
  getVisibleAttributes: namesWith('visible'),
  getNonVisibleAttributes: namesWithout('visible'),
  getTimestamps: timestampsOf,
  isPrivateAttribute: ({ attributes }: Model, name: string): boolean => attributes[name]?.private === true,
  getPrivateAttributes: ({ attributes }: Model): string[] => Object.keys(attributes).filter((name) => attributes[name]?.private),
  getScalarAttributes: ({ attributes }: Model): string[] =>
    Object.keys(attributes).filter((name) => !notScalar.has(attributes[name]?.type ?? 'relation')),
};
