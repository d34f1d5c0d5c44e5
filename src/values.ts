/** Values by name: the attributes of an entry, a decoded body, the arguments of a field. */
export type Values = Readonly<Record<string, unknown>>;

/** Whether a value is an object with values by name, and no list or date. */
export const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
