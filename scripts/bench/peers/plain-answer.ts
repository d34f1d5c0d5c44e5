/** Returns an answer of the product without its envelopes, and without what `rebuild` leaves out: the entries, and the total of a list. */
export function plainAnswer(answer: unknown): unknown {
  const { data, meta } = answer as {
    readonly data: unknown;
    readonly meta?: { readonly pagination?: { readonly total: number } };
  };
  return { data: rebuild(data, unwrap), total: meta?.pagination?.total };
}

/** The ids of components are left out: peers do not number all of theirs. */
function unwrap(value: Values): unknown {
  if ('data' in value) return isObject(value.data) ? unwrap(value.data) : value.data;
  const { id, attributes, ...component } = value;
  return attributes === undefined ? component : { id, ...(attributes as Values) };
}

export type Values = Readonly<Record<string, unknown>>;

/**
 * Rebuilds an answer from the outside: `change` returns what stands for an object, undefined for none. Values that are null and
 * objects and lists that are empty are left out, as some peers do not answer them.
 */
export function rebuild(value: unknown, change: (value: Values) => unknown): unknown {
  const changed = isObject(value) ? change(value) : value;
  if (Array.isArray(changed)) return unlessEmpty(changed.map((item) => rebuild(item, change)).filter(isPresent));
  if (!isObject(changed)) return changed ?? undefined;
  const entries = Object.entries(changed).map(([key, item]) => [key, rebuild(item, change)] as const);
  return unlessEmpty(Object.fromEntries(entries.filter(([, item]) => isPresent(item))));
}

const unlessEmpty = (value: object): object | undefined => (Object.keys(value).length === 0 ? undefined : value);

const isPresent = (value: unknown): boolean => value !== undefined;

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);
