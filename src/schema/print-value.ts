/** Writes a value the way the reference's messages do: texts quoted, objects and lists as indented JSON with their scalars quoted. */
export function printValue(value: unknown): string {
  return printScalar(value) ?? JSON.stringify(value, (_key, inner: unknown) => printScalar(inner) ?? inner, 2);
}

function printScalar(value: unknown): string | null {
  if (value === null || value === undefined || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return typeof value === 'string' ? `"${value}"` : null;
}

/** The message for a value of the wrong type; `original` is what came in where `value` is what it was turned into. */
export function notOfType(path: string, type: string, value: unknown, original: unknown = value): string {
  const wasCast = original !== null && original !== undefined && !Object.is(original, value);
  const from = wasCast ? ` (cast from the value \`${printValue(original)}\`)` : '';
  return `${path} must be a \`${type}\` type, but the final value was: \`${printValue(value)}\`${from}.`;
}
