import { runSeeds } from '../sync/run-seeds.js';
import { provideLocks } from './locks.js';
import { runSeed } from './seed.js';

/*
 * `npm run test:offline`: a randomised test of writes while offline. Three devices of two users, with two tabs each, create, change,
 * count, link and delete entries, with files, locales and drafts; they lose their network, and requests before and after they are carried
 * out, are killed, and decide about conflicts. Others write over REST meanwhile, rights, rules and models change, titles and the type of authors are renamed, and instances and the
 * primary are killed. No value may be overwritten unseen, and no device may show an entry that its user may not read after a step. In the
 * end all devices and the service hold the same, sums are exact, and nothing is lost or there twice. `../sync/run-seeds.ts` has the options.
 */
provideLocks();
await runSeeds(runSeed);
