import { existsSync } from 'node:fs';

/**
 * Returns the line that runs a command of the program, such as `models add FILE`, in the working directory. In a checkout of Mangrove npm
 * runs it: npx would copy the checkout first.
 */
export const commandLine = (words: string): string =>
  `${existsSync('bin/mangrove.cjs') ? 'npm run mangrove --' : 'npx mangrove'} ${words}`;
