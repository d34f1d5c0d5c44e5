import { scalarTypes } from '../schema/scalar-types.js';
import { isRecord } from '../values.js';

const secret = /password|passwd|passphrase|pwd|token|secret|salt|credential|authorization|cookie|key$/i;

/** Returns a body as it may be written down: values of any form under names that sound secret are replaced by `***`. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isRecord(value)) return value ?? null;
  const entries = Object.entries(value).map(([name, inner]) => [
    storable(name),
    secret.test(name) && inner !== null && !isDefinition(inner) ? '***' : withoutSecrets(inner),
  ]);
  return Object.fromEntries(entries) as unknown;
}

/** An attribute of a model, which says of what type a secret is and holds none. */
const isDefinition = (value: unknown): boolean =>
  isRecord(value) && typeof value['type'] === 'string' && Object.hasOwn(scalarTypes, value['type']);

/** Keys that the database would take for operators or paths. */
const storable = (name: string): string => name.replace(/^\$/, '＄').replaceAll('.', '．');
