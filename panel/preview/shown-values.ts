/** An attribute of a model as the panel knows it. */
interface Attribute {
  readonly type: string;
  readonly private?: boolean;
  readonly component?: string;
}

type Attributes = Readonly<Record<string, Attribute>>;

/** Models of components by their uids. */
type Components = Readonly<Record<string, { readonly attributes: Attributes }>>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the values of a form that a page may have: without passwords, private attributes, and what is no value. */
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
