import { isValues } from '../schema/check-input.js';

const secret = /password|token|secret|key$/i;

/** A body as it may be written down: values under names that sound secret are left out. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isValues(value)) return value ?? null;
  const entries = Object.entries(value).map(([name, inner]) => [
    storable(name),
    isSecret(name, inner) ? '***' : withoutSecrets(inner),
  ]);
  return Object.fromEntries(entries) as unknown;
}

const isSecret = (name: string, value: unknown): boolean =>
  secret.test(name) && (typeof value === 'string' || typeof value === 'number');

/** Keys that the database would take for operators or paths. */
const storable = (name: string): string => name.replace(/^\$/, '＄').replaceAll('.', '．');
