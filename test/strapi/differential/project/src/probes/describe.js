const undefinedText = '<undefined>';

/** Returns a value that JSON can show: functions, dates, errors and undefined by name. */
function described(value, depth = 0) {
  if (value === undefined) return undefinedText;
  if (typeof value === 'function') return '<function>';
  if (typeof value === 'bigint' || typeof value === 'symbol') return `<${typeof value} ${String(value)}>`;
  if (value === null || typeof value !== 'object') return value;
  if (depth > 12) return '<deep>';
  if (value instanceof Date) return `Date ${value.toISOString()}`;
  if (value instanceof Error) return failure(value);
  if (Array.isArray(value)) return value.map((item) => described(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => [key, described(inner, depth + 1)]),
  );
}

const failure = ({ name, message, details }) => ({
  error: { name, message, ...(details !== undefined && { details: described(details, 9) }) },
});

/** Returns what the function returns or throws. */
async function attempt(run) {
  try {
    return await run();
  } catch (error) {
    return failure(error);
  }
}

/** Returns whether a function throws, for errors whose texts are those of a database. */
async function fails(run) {
  try {
    await run();
    return false;
  } catch {
    return true;
  }
}

module.exports = { described, attempt, fails };
