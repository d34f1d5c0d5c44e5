import { existsSync } from 'node:fs';

/**
 * Returns the shell command that runs a command of Mangrove, such as `models add FILE`, in the working directory. In a checkout
 * of Mangrove it uses npm, because npx would copy the checkout first.
 */
export const commandLine = (words: string): string =>
  `${existsSync('bin/mangrove.cjs') ? 'npm run mangrove --' : 'npx mangrove'} ${words}`;
