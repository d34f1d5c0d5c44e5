import { createRequire } from 'node:module';
import type jwt from 'jsonwebtoken';

/** Returns the library of tokens. It is loaded when it is first needed, because it takes 70 ms and 1.3 MB. */
export const loadJwt = (): typeof jwt => (library ??= createRequire(import.meta.url)('jsonwebtoken') as typeof jwt); // typed by the import above

let library: typeof jwt | undefined;
