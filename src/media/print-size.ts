const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes for people, in whole units of a thousand: `2 MB`. */
export function printSize(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return `${String(Math.round(bytes / 1000 ** step))} ${units[step] ?? 'B'}`;
}

/** Bytes as the files of the API give them: thousands, to the hundredth. */
export const kilobytes = (bytes: number): number => Math.round(bytes / 10) / 100;
