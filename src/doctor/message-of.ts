/** Returns the first line of the message of an error, without parts of an address that may be a password. */
export const messageOf = (error: unknown): string => {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.replaceAll(/(:\/\/)[^/@\s]*@/g, '$1');
};
