import { runSeeds } from './run-seeds.js';
import { runSeed } from './seed.js';

/*
 * `npm run test:sync`: a randomised test of sync. Writers change entries, links, files, locales, rules, rights, tokens and models over two
 * instances and past the API, import, and hold transactions open, while instances, the writer of the log and the primary of a replica set
 * are killed. Clients of all kinds, with different rights, copy entries meanwhile. After each operation, no client may hold an entry that
 * its caller could not read at any moment since its last token. When it is quiet, each copy must equal the list that its caller is
 * answered. `run-seeds.ts` has the options.
 */

// the client of Electric complains of streams that end because rights have changed
console.warn = () => undefined;

await runSeeds(runSeed);
