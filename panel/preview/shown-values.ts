/** An attribute of a model as the panel knows it. */
interface Attribute {
  readonly type: string;
  readonly private?: boolean;
  readonly component?: string;
  /** Of a relation, such as `manyToOne`. */
  readonly relation?: string;
}

type Attributes = Readonly<Record<string, Attribute>>;

/** Models of components by their uids. */
type Components = Readonly<Record<string, { readonly attributes: Attributes }>>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a page may have of a file, as the content API answers it. */
const fileNames = new Set([
  ...[
    'id',
    'name',
    'alternativeText',
    'caption',
    'width',
    'height',
    'formats',
    'hash',
    'ext',
    'mime',
    'size',
    'url',
    'previewUrl',
  ],
  ...['provider', 'provider_metadata', 'createdAt', 'updatedAt'],
]);

const shownFile = (file: unknown): unknown =>
  isObject(file) ? Object.fromEntries(Object.entries(file).filter(([name]) => fileNames.has(name))) : null;

/** Returns the id of a related entry, or a list of ids. A form has a list in both cases, with what it shows of each entry. */
function shownRelation(value: unknown, { relation = '' }: Attribute): unknown {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  const ids = entries.flatMap((entry) => (isObject(entry) && 'id' in entry ? [entry['id']] : []));
  return relation.endsWith('Many') ? ids : (ids[0] ?? null);
}

/**
 * Returns the values of a form that a page may have, in the flat form of an entry: relations by their ids, and without passwords, private
 * attributes, and what is no value.
 */
export function shownValues(values: unknown, attributes: Attributes, components: Components): unknown {
  if (!isObject(values)) return values ?? null;
  const entries = Object.entries(values).flatMap(([name, value]) => {
    const attribute = attributes[name];
    if (name !== 'id' && attribute === undefined) return [];
    if (attribute?.type === 'password' || attribute?.private === true || typeof value === 'function') return [];
    return [[name, attribute === undefined ? value : shownValue(value, attribute, components)] as const];
  });
  return Object.fromEntries(entries);
}

function shownValue(value: unknown, attribute: Attribute, components: Components): unknown {
  if (attribute.type === 'relation') return shownRelation(value, attribute);
  if (attribute.type === 'media') return Array.isArray(value) ? value.map(shownFile) : shownFile(value);
  if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') return value ?? null;
  const shown = (part: unknown): unknown => {
    const uid = attribute.component ?? (isObject(part) ? part['__component'] : undefined);
    const model = typeof uid === 'string' ? components[uid] : undefined;
    if (model === undefined) return null;
    const inner = shownValues(part, model.attributes, components);
    return attribute.type === 'dynamiczone' && isObject(inner) ? { __component: uid, ...inner } : inner;
  };
  return Array.isArray(value) ? value.map(shown) : isObject(value) ? shown(value) : null;
}
