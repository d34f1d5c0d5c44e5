/** Number of articles by name of the size. */
export const sizes = { '10k': 10_000, '100k': 100_000, '1m': 1_000_000 } as const;

export type Size = keyof typeof sizes;

export const sizeNames = ['10k', '100k', '1m'] as const satisfies readonly Size[];

export const authorCount = (size: Size): number => Math.max(100, sizes[size] / 100);
export const categoryCount = 200;
export const tagCount = 1_000;
export const fileCount = 500;
export const pageCount = 1_000;
