import type { ScalarType } from './content-type.js';
import type { AttributeDefinition } from './model.js';
import { isScalarType, scalarTypes, toNumber } from './scalar-types.js';
import { numberText } from './stored-values.js';

/**
 * Returns the default of a scalar attribute as a create stores it; a time gets the seconds that it lacks. Returns null if no entry
 * could store the default as a value of the type, whatever the other rules of the attribute are, and undefined if there is none.
 */
export function readDefault({ type, default: written, enum: values }: AttributeDefinition): unknown {
  if (written === undefined || written === null || !isScalarType(type)) return undefined;
  if (type === 'enumeration') return written === '' || values?.includes(String(written)) === true ? written : null;
  const initial = numberText(written) ?? (type === 'time' ? withSeconds(written) : written);
  return isStorable(type, initial) ? initial : null;
}

const withSeconds = (time: unknown): unknown => (typeof time === 'string' && /^\d{2}:\d{2}$/.test(time) ? `${time}:00` : time);

function isStorable(type: ScalarType, initial: unknown): boolean {
  if (rules[type]?.(initial) === false) return false;
  try {
    return scalarTypes[type].store(initial, type) !== null;
  } catch {
    return false; // its form is not that of the type
  }
}

/** What the conversion to the stored form does not check, because it is checked before. */
const rules: Readonly<Partial<Record<ScalarType, (initial: unknown) => boolean>>> = {
  integer: (initial) => Number.isInteger(toNumber(initial)),
  float: (initial) => Number.isFinite(toNumber(initial)),
  decimal: (initial) => Number.isFinite(toNumber(initial)),
  password: (initial) => typeof initial === 'string' && Buffer.byteLength(initial) <= 72,
};
