import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { callsOf } from '../../../test/strapi/differential/calls.js';
import { sendCall, type PlainAnswer } from '../../../test/strapi/differential/send-call.js';
import { installPackages } from '../../install-packages.js';
import { loadStrapi, serveStrapi, type Strapi } from '../../start-strapi.js';
import { type Knex, rememberTables } from './remember-tables.js';

interface StrapiWithQueries extends Strapi {
  readonly db: { readonly connection: Knex };
  query(uid: string): { create(parameters: { readonly data: object }): Promise<unknown> };
}

/**
 * Records the answers of Strapi 4.26 to the probes of test/strapi/differential. The first argument is the folder that Strapi is
 * installed in, which takes minutes once; without it a folder for temporary files.
 */
const directory = join(import.meta.dirname, '../../../test/strapi/differential');
const folder = resolve(process.argv[2] ?? join(tmpdir(), 'mangrove-live-strapi'));
mkdirSync(join(folder, 'public', 'uploads'), { recursive: true });
for (const name of ['src', 'config']) rmSync(join(folder, name), { recursive: true, force: true });
cpSync(join(directory, 'project'), folder, { recursive: true });
installPackages(folder);
const database = join(folder, 'data.db');
rmSync(database, { force: true });
process.env.PORT = '14260';
const live = await loadStrapi<StrapiWithQueries>(folder, database);
const url = await serveStrapi(live);

const ask = (group: string, name: string): Promise<PlainAnswer> =>
  sendCall(url, { method: 'GET', path: `/api/probes/${group}/${name}` });

await live.query('plugin::i18n.locale').create({ data: { code: 'fr', name: 'French (fr)' } });
const seeded = await ask('seed', 'run');
if (seeded.status !== 200) throw new Error(`the content: ${JSON.stringify(seeded)}`);
const listed = await ask('list', 'all');
const { value: probes } = listed.body as { readonly value: readonly string[] }; // the probe list/all
const restore = await rememberTables(live.db.connection);
const answers: Record<string, PlainAnswer> = {};
for (const call of callsOf(probes)) {
  answers[call.name] = await sendCall(url, call);
  await restore();
}
writeFileSync(join(directory, 'strapi-4.26.json'), `${JSON.stringify({ probes, answers }, null, 1)}\n`);
console.log(`recorded ${String(Object.keys(answers).length)} answers, of ${String(probes.length)} probes`);
await live.destroy();
process.exit();
