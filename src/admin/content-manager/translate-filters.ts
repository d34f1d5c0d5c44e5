/** Returns the filter by which code of projects, as in Strapi v4, sees the entries of a write of several. */
export const whereOf = {
  updateMany: (ids: readonly number[]): object => ({ id: { $in: ids } }),
  deleteMany: (ids: readonly number[]): object => ({ $and: [{ id: { $in: ids } }] }),
} as const;
