/** Ids are positive integers, leading zeros allowed; any other text names no entry. */
export function decodeId(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
