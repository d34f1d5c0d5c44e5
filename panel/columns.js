/** Returns the columns of a list with further ones, before those of times, which are wide. */
export function addColumns(headers, columns) {
  const times = headers.findIndex(({ name }) => name === 'createdAt' || name === 'updatedAt');
  return headers.toSpliced(times < 0 ? headers.length : times, 0, ...columns);
}
